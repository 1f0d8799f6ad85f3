/** Bytes or characters of a part. */
const size = 64 * 1024;

/**
 * A payload in parts, each made when the client has read those before it.
 * @param onPart told when a part was read
 */
export function* parts(payload: string | Buffer, onPart: () => void): Generator<Buffer> {
  for (let at = 0; at < payload.length; ) {
    let end = at + size;
    // Half a character would be lost.
    if (typeof payload === 'string' && isLeading(payload.charCodeAt(end - 1))) end += 1;
    const bytes = typeof payload === 'string' ? payload.slice(at, end) : payload.subarray(at, end);
    yield typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    onPart();
    at = end;
  }
}

/** Whether a code unit is the first of a surrogate pair. */
const isLeading = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
