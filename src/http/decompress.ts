/** Request bodies that come compressed. */
import { gunzipSync } from 'node:zlib';
import { Fault, tooLarge } from '../errors/errors.ts';
import { hasCode } from '../lib/process_lock.ts';

/** A body is encoded in a way that the service does not read; the answer has to say which it does. */
export class UnknownEncoding extends Fault {
  static readonly known = 'gzip';

  constructor() {
    super('UNSUPPORTED_MEDIA_TYPE', ['Content-Encoding must be gzip, or left out']);
  }
}

/**
 * Whether a body is packed.
 * @param encoding its `Content-Encoding`
 * @throws {UnknownEncoding} also for one that is packed twice, as only bombs are
 */
export function isCompressed(encoding: string | undefined): boolean {
  if (encoding === undefined) return false;
  const name = encoding.trim().toLowerCase();
  if (name === 'gzip' || name === 'x-gzip') return true;
  if (name === 'identity') return false;
  throw new UnknownEncoding();
}

/**
 * The bytes of a packed body. A megabyte keeps the process busy for two milliseconds.
 * @param max bytes of them; unpacking ends there, however many more there would be
 * @throws {Fault} PAYLOAD_TOO_LARGE; BAD_USER_INPUT for what is not gzip, or not all of it
 */
export function decompress(bytes: Buffer, max: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: max });
  } catch (error) {
    const isTooLarge = hasCode(error, 'ERR_BUFFER_TOO_LARGE');
    throw isTooLarge
      ? tooLarge(max)
      : new Fault('BAD_USER_INPUT', ['The request body is not valid gzip']);
  }
}
