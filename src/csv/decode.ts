/** The text of files as spreadsheets save them, which say nowhere how they are encoded. */

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/**
 * What a file is encoded in: what its byte order mark says, else UTF-8 if all of it is, else what
 * spreadsheets in Western languages fall back to.
 * @param chunks all of the file
 */
export async function encodingOf(chunks: AsyncIterable<Uint8Array>): Promise<Encoding> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const isUtf8 = (chunk?: Uint8Array): boolean => {
    try {
      utf8.decode(chunk, { stream: chunk !== undefined });
      return true;
    } catch {
      return false;
    }
  };
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && chunk[0] === 0xff && chunk[1] === 0xfe) return 'utf-16le';
    if (isFirst && chunk[0] === 0xfe && chunk[1] === 0xff) return 'utf-16be';
    if (!isUtf8(chunk)) return 'windows-1252';
    isFirst = false;
  }
  return isUtf8() ? 'utf-8' : 'windows-1252';
}

/** The text in pieces, without a byte order mark. */
export async function* decoded(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
