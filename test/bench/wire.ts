/**
 * One keep-alive connection, its HTTP written and read by hand: a program that loads a service on the
 * machine that it runs on must take little of the processor himself.
 */
import { connect, type TLSSocket } from 'node:tls';
import type { Request } from './operations/operation.ts';

export interface Answer {
  readonly status: number;
  readonly retryAfter: boolean;
  /** The id that the body begins with, as records' do. */
  readonly id: number | undefined;
}

export interface Listener {
  readonly answered: (wire: Wire, answer: Answer) => void;
  /** Ended by the other side or an error; `asked`: a request was without its answer. */
  readonly broken: (wire: Wire, asked: boolean) => void;
}

export class Wire {
  readonly #socket: TLSSocket;
  readonly #listener: Listener;
  /** Our end of the connection, known once it is open. */
  localPort = 0;
  #asked = false;
  #closed = false;
  /** Of the answer that is coming in: its head so far, and what its body still lacks. */
  #head: Buffer | undefined;
  #answer: Answer | undefined;
  #missing = 0;

  /** @param opened called when it can be used; not called when it breaks before */
  constructor(port: number, listener: Listener, opened: (wire: Wire) => void) {
    this.#listener = listener;
    this.#socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      this.localPort = this.#socket.localPort ?? 0;
      opened(this);
    });
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.on('close', () => {
      if (!this.#closed) listener.broken(this, this.#asked);
      this.#closed = true;
    });
  }

  /** Only one request at a time. */
  send(text: string): void {
    this.#asked = true;
    this.#socket.write(text, 'latin1');
  }

  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#answer) {
      this.#readBody(chunk.length);
      return;
    }
    const head = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
    const end = head.indexOf('\r\n\r\n');
    this.#head = end < 0 ? head : undefined;
    if (end < 0) return;
    const text = head.toString('latin1', 0, end);
    const status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    if (length === undefined && status !== 204) throw new Error(`no length is given in ${text}`);
    const id =
      status === 201
        ? /^\{"id":(\d+)/.exec(head.toString('latin1', end + 4, end + 40))?.[1]
        : undefined;
    this.#answer = {
      status,
      retryAfter: status === 503 && /\r\nretry-after: \d/i.test(text),
      id: id === undefined ? undefined : Number(id),
    };
    this.#missing = Number(length ?? 0);
    this.#readBody(head.length - end - 4);
  }

  #readBody(length: number): void {
    this.#missing -= length;
    if (this.#missing > 0 || !this.#answer) return;
    const answer = this.#answer;
    this.#answer = undefined;
    this.#asked = false;
    this.#listener.answered(this, answer);
  }
}

/** A request as it goes over the wire; all of it is ASCII. */
export function written({ method, path, body }: Request, token: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** Requests one after the other, on one connection for as long as it stands. */
export class Line {
  readonly #port: number;
  #wire: Wire | undefined;
  #answered: (answer: Answer) => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** @param request as {@link written} has it */
  ask(request: string): Promise<Answer> {
    return new Promise((answered, failed) => {
      this.#answered = answered;
      this.#failed = failed;
      if (this.#wire) this.#wire.send(request);
      else this.#open((wire) => wire.send(request));
    });
  }

  close(): void {
    this.#wire?.close();
  }

  #open(opened: (wire: Wire) => void): void {
    const listener: Listener = {
      answered: (_, answer) => this.#answered(answer),
      // One that was idle for long the service closes; the next request opens another.
      broken: () => {
        this.#wire = undefined;
        this.#failed(new Error('the connection broke'));
      },
    };
    new Wire(this.#port, listener, (wire) => {
      this.#wire = wire;
      opened(wire);
    });
  }
}
