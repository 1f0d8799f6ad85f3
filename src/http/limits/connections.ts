/** The connections of a listener: how long each may take, and how many there may be. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';

/** In milliseconds. A client that sends slowly occupies a connection, and nothing else. */
export interface Timeouts {
  /** From the connection until the TLS handshake is done. */
  readonly handshakeTimeout: number;
  /** From the first byte of a request, or from the connection, to the request's last. */
  readonly requestTimeout: number;
  /** How often the former is enforced. */
  readonly connectionsCheckingInterval: number;
  /** From an answer to the next request. */
  readonly keepAliveTimeout: number;
}

const usualPatience: Timeouts = {
  handshakeTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 5000,
  keepAliveTimeout: 65_000,
};

/** How long a request may be on its way when the service stops. */
const onTheWayMs = 300;

interface Connection {
  /** The socket that was accepted, beneath TLS. */
  readonly socket: Socket;
  /** Requests that are not answered yet. */
  asked: number;
  /**
   * The answer to the last of them: answers go out in the order of their requests, whichever is
   * built first.
   */
  last: ServerResponse | undefined;
  /** The higher, the more recently it was in use. */
  used: number;
}

/**
 * Knows every connection from the moment it is accepted, whereas Node's own server counts one only
 * after its TLS handshake. When there are too many, the one that has been idle for longest is closed
 * to make room.
 */
export class Connections {
  readonly #max: number;
  readonly #open = new Set<Connection>();
  /** By the socket that requests arrive on. */
  readonly #of = new WeakMap<Socket, Connection>();
  #closed = 0;
  #uses = 0;
  #areDismissed = false;
  #server: Server | undefined;

  readonly patience: Timeouts;

  /** @param max connections at a time */
  constructor(max: number, patience: Timeouts = usualPatience) {
    this.#max = max;
    this.patience = patience;
  }

  get open(): number {
    return this.#open.size;
  }

  /** How many have been closed to make room for others. */
  get closed(): number {
    return this.#closed;
  }

  /** Watches over all connections of a server that does not listen yet. */
  watch(server: Server): void {
    this.#server = server;
    server.on('connection', (socket: Socket) => this.#add(socket));
    if (server instanceof TlsServer) this.#watchHandshakes(server);
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = this.#of.get(socket);
      if (!connection) return;
      connection.asked += 1;
      connection.last = response;
      response.on('close', () => {
        connection.asked -= 1;
        if (connection.last === response) connection.last = undefined;
        connection.used = ++this.#uses;
      });
    });
  }

  /** From now on a connection closes when nothing on it waits for an answer; the last says so. */
  dismiss(): void {
    this.#areDismissed = true;
  }

  /**
   * Has the server stop listening, and ends when none is open, or a moment later: a request may be on its way
   * already, and to close its connection, as Node's server does at once, would leave its client without an answer.
   */
  async acceptNone(): Promise<void> {
    if (this.#server) NetServer.prototype.close.call(this.#server);
    const end = performance.now() + onTheWayMs;
    while (this.#open.size > 0 && performance.now() < end) await sleep(10);
  }

  /** Has the answers of a server ask their clients to close the connection. */
  announce(server: FastifyInstance): void {
    server.addHook('onSend', ({ raw }, reply, _payload, done) => {
      const { last = reply.raw } = this.#of.get(raw.socket) ?? {};
      if (this.#areDismissed && last === reply.raw) reply.header('connection', 'close');
      done();
    });
  }

  /** Closes every connection, whatever it is doing. */
  destroy(): void {
    for (const { socket } of this.#open) socket.destroy();
  }

  #watchHandshakes(server: TlsServer): void {
    const greeting = new Map<string, Connection>();
    server.on('connection', (socket) => {
      const connection = this.#of.get(socket);
      const key = ends(socket);
      if (!connection) return;
      greeting.set(key, connection);
      socket.once('close', () => {
        if (greeting.get(key) === connection) greeting.delete(key);
      });
    });
    server.on('secureConnection', (socket) => {
      const key = ends(socket);
      const connection = greeting.get(key);
      // Its client hung up before the two sockets could be matched.
      if (!connection) return void socket.destroy();
      greeting.delete(key);
      this.#of.set(socket, connection);
    });
  }

  #add(socket: Socket): void {
    const connection: Connection = { socket, asked: 0, last: undefined, used: ++this.#uses };
    this.#open.add(connection);
    this.#of.set(socket, connection);
    socket.once('close', () => this.#open.delete(connection));
    if (this.#open.size > this.#max) this.#closeIdlest();
  }

  /** If all others are busy, that is the one that has just arrived. */
  #closeIdlest(): void {
    let idlest: Connection | undefined;
    for (const connection of this.#open) {
      if (connection.asked > 0) continue;
      if (!idlest || connection.used < idlest.used) idlest = connection;
    }
    if (!idlest) return;
    this.#closed += 1;
    this.#open.delete(idlest);
    idlest.socket.destroy();
  }
}

/** TLS puts another socket over the one that was accepted; both have the same addresses. */
const ends = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

const limits = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
});

/**
 * How many connections the process has descriptors for.
 * @param others descriptors for everything else: the database, files
 */
export function affordable(others: number): number {
  const report = limits.safeParse(process.report.getReport());
  const soft = Number(report.data?.userLimits.open_files.soft);
  // Windows has no such limit, and Unix may have none.
  return Number.isNaN(soft) ? Number.POSITIVE_INFINITY : Math.max(1, soft - others);
}
