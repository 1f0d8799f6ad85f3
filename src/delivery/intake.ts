/** What receivers may send: every byte counts, whatever it belongs to. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * Bytes that a receiver may send from one message to the next: answers that announce another (1xx), heads,
 * bodies, chunk extensions, trailers, tickets of TLS, and what comes while its connection is idle.
 */
export const maxReceived = 64 * 1024;

/** A receiver sent more than it may. */
export class TooMuchReceived extends Error {
  constructor() {
    super(`sent more than ${maxReceived / 1024} KiB`);
  }
}

/** What each connection has received since its message, in bytes. */
const received = new WeakMap<Socket, number>();

/**
 * Lets a connection receive {@link maxReceived} bytes from now on, and destroys it with
 * {@link TooMuchReceived} at more, also after its message is answered. Counting on while it is idle
 * matters: Node reads and drops what comes then, at any speed, and each byte puts the idle timeout off.
 */
export function limitIntake(socket: Socket): void {
  const isKnown = received.has(socket);
  received.set(socket, 0);
  if (isKnown) return;
  const count = ({ length }: Uint8Array) => {
    const bytes = (received.get(socket) ?? 0) + length;
    received.set(socket, bytes);
    if (bytes > maxReceived) socket.destroy(new TooMuchReceived());
  };
  socket.on('data', count);
  if (socket instanceof TLSSocket) socket.on('session', count);
}
