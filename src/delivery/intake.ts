/** What receivers send: every byte counts, whatever it belongs to. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * Bytes that a receiver may send from one message to the next: answers that announce another (1xx), heads,
 * bodies, chunk extensions, trailers, tickets of TLS, and what comes while its connection is idle.
 */
export const maxReceived = 64 * 1024;

/** An answer that is no larger is an ordinary one, of which receivers may have a thousand a second. */
const ordinaryBytes = 16 * 1024;

/** How long a place rests after an answer that is not, in times of what it kept the process busy. */
const rests = 200;
const maxRestMs = 5000;

/** A receiver sent more than it may. */
export class ResponseTooLong extends Error {
  constructor() {
    super(`sent more than ${maxReceived / 1024} KiB`);
  }
}

/** What a connection receives from one message to the next. */
export class Intake {
  readonly #socket: Socket;
  #bytes = 0;
  #began = 0;
  #busyMs = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /**
   * Lets a connection receive {@link maxReceived} bytes from now on, and destroys it with
   * {@link ResponseTooLong} at more, also after its message is answered. Counting on while it is idle
   * matters: Node reads and drops what comes then, at any speed, and each byte puts the idle timeout off.
   * To be called when the connection has its message, so that Node's parser listens already.
   */
  static limit(socket: Socket): Intake {
    const before = intakes.get(socket);
    if (before) before.#stop();
    const intake = new Intake(socket);
    intakes.set(socket, intake);
    socket.prependListener('data', intake.#begin).on('data', intake.#end);
    if (socket instanceof TLSSocket) socket.on('session', intake.#count);
    return intake;
  }

  /**
   * How long to leave the receiver alone, in milliseconds: a thousand empty heads or chunks of one byte fit into
   * few bytes, and take Node's parser as long as it takes to send ten messages.
   */
  get restMs(): number {
    return this.#bytes > ordinaryBytes ? Math.min(rests * this.#busyMs, maxRestMs) : 0;
  }

  // Before the parser reads a piece, and after it.
  readonly #begin = () => {
    this.#began = performance.now();
  };
  readonly #end = (piece: Uint8Array) => {
    this.#busyMs += performance.now() - this.#began;
    this.#count(piece);
  };
  readonly #count = ({ length }: Uint8Array) => {
    this.#bytes += length;
    if (this.#bytes > maxReceived) this.#socket.destroy(new ResponseTooLong());
  };

  #stop(): void {
    this.#socket.off('data', this.#begin).off('data', this.#end).off('session', this.#count);
  }
}

/** That of each connection's latest message. */
const intakes = new WeakMap<Socket, Intake>();
