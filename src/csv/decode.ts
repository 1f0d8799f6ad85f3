/** The text of files as spreadsheets save them, which rarely say how they are encoded. */

/** How the text of a file is written in bytes. */
export interface Encoding {
  /** As the Encoding Standard of WHATWG calls it. */
  readonly name: string;
  /** Whether some of the bytes are none in this encoding. */
  readonly isDamaged: boolean;
  /** Whether nothing in the file says that it is this one. */
  readonly isAssumed: boolean;
}

/** Byte order marks, of which the longest has three bytes. */
const marks: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * What a file is encoded in: what its byte order mark says, whatever follows; else UTF-8, if that makes
 * characters of its bytes beyond ASCII; else what the caller says, or what spreadsheets in Western languages
 * fall back to. Where some bytes are UTF-8 and others are not, the caller is believed.
 * @param chunks all of the file
 * @param assumed the name of an encoding, see {@link encodingCalled}
 */
export async function encodingOf(
  chunks: AsyncIterable<Uint8Array>,
  assumed?: string,
): Promise<Encoding> {
  const utf8 = new Attempt('utf-8');
  const other = new Attempt(assumed ?? 'windows-1252');
  let attempts: readonly Attempt[] = [utf8, other];
  let marked: Attempt | undefined;
  let isFirst = true;
  for await (const chunk of withBeginning(chunks)) {
    if (isFirst) {
      const [name] = marks.find(([, bytes]) => bytes.every((byte, at) => chunk[at] === byte)) ?? [];
      if (name !== undefined) {
        marked = new Attempt(name);
        attempts = [marked];
      }
      isFirst = false;
    }
    for (const attempt of attempts) attempt.take(chunk);
  }
  for (const attempt of attempts) attempt.take();
  if (marked) return { name: marked.name, isDamaged: marked.isDamaged, isAssumed: false };
  const isUtf8 = utf8.isForeign && !(utf8.isDamaged && assumed !== undefined);
  if (isUtf8) return { name: utf8.name, isDamaged: utf8.isDamaged, isAssumed: utf8.isDamaged };
  // Of ASCII alone nobody need choose what it is.
  const isAscii = !utf8.isDamaged && assumed === undefined;
  if (isAscii) return { name: utf8.name, isDamaged: false, isAssumed: false };
  return { name: other.name, isDamaged: other.isDamaged, isAssumed: true };
}

/** Reading a file in one encoding. */
class Attempt {
  readonly name: string;
  isDamaged = false;
  /** Whether there was a character beyond ASCII. */
  isForeign = false;
  readonly #strict: TextDecoder;
  readonly #lenient: TextDecoder;

  constructor(name: string) {
    this.name = name;
    this.#strict = new TextDecoder(name, { fatal: true });
    this.#lenient = new TextDecoder(name);
  }

  /** @param chunk undefined at the end of the file */
  take(chunk?: Uint8Array): void {
    const options = { stream: chunk !== undefined };
    try {
      if (!this.isDamaged) this.#strict.decode(chunk, options);
    } catch {
      this.isDamaged = true;
    }
    this.isForeign ||= /[^\p{ASCII}\ufffd]/u.test(this.#lenient.decode(chunk, options));
  }
}

/** The same bytes, the first piece having three of them if there are as many. */
async function* withBeginning(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let beginning: number[] | undefined = [];
  for await (const chunk of chunks) {
    if (!beginning) {
      yield chunk;
    } else if (beginning.length === 0 && chunk.length >= 3) {
      beginning = undefined;
      yield chunk;
    } else {
      beginning.push(...chunk.slice(0, 3));
      const rest = chunk.slice(3);
      if (beginning.length < 3) continue;
      yield Uint8Array.from(beginning);
      beginning = undefined;
      if (rest.length > 0) yield rest;
    }
  }
  if (beginning && beginning.length > 0) yield Uint8Array.from(beginning);
}

/** @returns the name of an encoding by any of its labels; undefined where there is none */
export function encodingCalled(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** The text in pieces, without a byte order mark, and with U+FFFD for what is no character. */
export async function* decode(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
