/** One TLS connection that stays open, its HTTP written by hand: any bytes can be sent. */
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface Answer {
  /** When it was asked for, in milliseconds since 1970. */
  readonly since: number;
  readonly status: number;
  /** By names in lower case; of equal ones the last. */
  readonly headers: ReadonlyMap<string, string>;
  /** Head and body, unpacked, to look for what must not be in them. */
  readonly bytes: Buffer;
  readonly text: string;
}

/** In milliseconds. */
const patience = 30_000;

const unpacking: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: (bytes) => brotliDecompressSync(bytes),
  gzip: (bytes) => gunzipSync(bytes),
};

export class Wire {
  readonly #port: number;
  #socket: TLSSocket | undefined;
  #since = 0;
  #received = Buffer.alloc(0);

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends one request and waits for its answer.
   * @param hasBody false: the answer has none, whatever its headers say (HEAD)
   * @throws {Error} when the connection ends without an answer, or there is more than one
   */
  async send(bytes: Buffer, hasBody: boolean): Promise<Answer> {
    const socket = this.#socket?.writable ? this.#socket : await this.#open();
    this.#received = Buffer.alloc(0);
    this.#since = Date.now();
    socket.write(bytes);
    const late = setTimeout(() => socket.destroy(new Error('no answer came in time')), patience);
    try {
      for (;;) {
        const answer = this.#answer(hasBody);
        if (answer) {
          if (answer.headers.get('connection') === 'close') this.close();
          return answer;
        }
        await this.#more(socket);
      }
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(): Promise<TLSSocket> {
    const socket = connect({ host: '127.0.0.1', port: this.#port, rejectUnauthorized: false });
    socket.setNoDelay(true);
    // Reported by the request that waits; nobody waits for an error between two requests.
    socket.on('error', () => socket.destroy());
    this.#socket = socket;
    await once(socket, 'secureConnect');
    return socket;
  }

  /** Waits for more bytes. */
  #more(socket: TLSSocket): Promise<void> {
    return new Promise((resolve, reject) => {
      const heard = (part: Buffer) => {
        settle();
        this.#received = Buffer.concat([this.#received, part]);
        resolve();
      };
      const failed = (error?: Error) => {
        settle();
        const told = this.#received.toString('latin1').slice(0, 200);
        reject(new Error(`the connection ended without a whole answer: ${error ?? told}`));
      };
      const ended = () => failed();
      const settle = () => socket.off('data', heard).off('error', failed).off('close', ended);
      socket.on('data', heard).on('error', failed).on('close', ended);
      if (socket.destroyed) failed();
    });
  }

  /** What has come, once it is a whole answer. */
  #answer(hasBody: boolean): Answer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const [first = '', ...lines] = this.#received.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    if (!status) throw new Error(`what came is no answer: ${first}`);
    if (status === 100) {
      this.#received = this.#received.subarray(end + 4);
      return this.#answer(hasBody);
    }
    const headers = new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const empty = !hasBody || status === 204 || status === 304;
    const length = empty ? 0 : Number(headers.get('content-length') ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error(`the answer tells no length: ${first}`);
    const whole = end + 4 + length;
    if (this.#received.length < whole) return undefined;
    // What the parser refuses it answers with a body, to a HEAD as well.
    const more =
      this.#received.length > whole && (hasBody || headers.get('connection') !== 'close');
    if (more) throw new Error('more came than one answer');
    const unpack = unpacking[headers.get('content-encoding') ?? ''];
    const body = this.#received.subarray(end + 4, whole);
    const plain = unpack && body.length > 0 ? unpack(body) : body;
    const bytes = Buffer.concat([this.#received.subarray(0, end + 4), plain]);
    return { since: this.#since, status, headers, bytes, text: plain.toString() };
  }
}
