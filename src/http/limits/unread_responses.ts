/**
 * Answers on their way to clients. What a client does not read stays in memory, so it is bounded by
 * connection, by account and in all, and given up in the end.
 */
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Budget } from '../../context/budget.ts';
import { LargeResponses, RequestBudget } from './large_responses.ts';
import { parts } from './parts.ts';
import { isStranger, type Party, UnreadBytes } from './unread_bytes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    budget?: RequestBudget;
  }
}

const mebibyte = 1024 * 1024;

/** In milliseconds. */
export interface Timeouts {
  /** After this time an answer of which nothing was read is given up. */
  readonly unread: number;
  /** After this time, and one second for each {@link slowest} bytes, so is one to a request without a token. */
  readonly strangers: number;
  /** How long a large answer may take to be read while others wait for room. */
  readonly unhurried: number;
  /** How often to check for answers to give up. */
  readonly looking: number;
}

const usual: Timeouts = { unread: 20_000, strangers: 5000, unhurried: 60_000, looking: 2000 };

/** Bytes in a second that a client without a token reads at least. */
const slowest = 32 * 1024;

/** Requests of a connection that may be unanswered or unread; those behind them have to wait. */
const maxUnread = 8;

/** Unread bytes of a connection from which on its next request has to wait. */
const maxUnreadBytes = mebibyte;

/** Requests that may wait on a connection; a client that sends more is not reading its answers. */
const maxWaiting = 200;

/** Bytes of an answer that are handed to a connection ahead of what its client reads. */
const unreadAtOnce = 2 * mebibyte;

/** An answer of this many characters or bytes is written in parts, as its client reads them. */
const partsFrom = 256 * 1024;

/**
 * A request from its beginning until the last byte of its answer was read or its connection closed.
 * It refers to neither request nor response: a connection lives long, and V8 moves what old objects
 * refer to into the old generation, even if they have dropped it since.
 */
interface Exchange {
  readonly connection: Connection;
  /** Whose it is; an address until it is known. */
  party: Party;
  /** Bytes of its answer that are held. */
  bytes: number;
  /** When its answer was made, in milliseconds since 1970; 0 while none is held. */
  made: number;
  /** When its client last read some of it, likewise. */
  taken: number;
}

/** Where a response carries its exchange. */
const exchangeOf = Symbol('exchange');

interface Exchanging extends ServerResponse {
  [exchangeOf]?: Exchange;
}

/** A connection's requests, in order. */
interface Connection {
  readonly socket: Socket;
  begun: Exchange[];
  readonly waiting: (() => void)[];
}

/** A part of an answer that is held until its client has read it. */
interface Part {
  take(): void;
  free(): void;
}

/**
 * The answers of this process that are not read yet. It counts their bytes by connection, account and in all,
 * has large ones and the connection's next requests wait, and gives up answers that nobody reads.
 */
export class UnreadResponses {
  readonly #connections = new Map<Socket, Connection>();
  readonly #unread = new UnreadBytes();
  readonly #large: LargeResponses;
  readonly #patience: Timeouts;
  #abandoned = 0;

  constructor(patience: Timeouts = usual) {
    this.#patience = patience;
    this.#large = new LargeResponses({
      has: (account, bytes) => this.#unread.hasRoom(account, bytes),
    });
  }

  /** Bytes of answers that are held now. */
  get held(): number {
    return this.#unread.all;
  }

  /** How many answers have been given up because they were not read. */
  get abandoned(): number {
    return this.#abandoned;
  }

  /** A listener that starts only a few of a connection's requests before their answers are read. */
  before(listener: RequestListener): RequestListener {
    return (request, response) => {
      const connection = this.#connection(request.socket);
      if (mayBegin(connection)) {
        this.#begin(connection, listener, request, response);
      } else if (connection.waiting.length < maxWaiting) {
        connection.waiting.push(() => this.#begin(connection, listener, request, response));
      } else {
        connection.socket.destroy();
      }
    };
  }

  /** Counts the bytes of a server's answers until they are read. */
  count(server: FastifyInstance): void {
    const looking = setInterval(() => this.#look(), this.#patience.looking).unref();
    server.addHook('onClose', async () => clearInterval(looking));
    server.decorateRequest('budget');
    server.addHook('onSend', (request, reply, payload, done) => {
      request.budget?.end();
      const { [exchangeOf]: exchange }: Exchanging = reply.raw;
      // If it is not there the connection was closed.
      if (!exchange?.connection.begun.includes(exchange)) return done(null, payload);
      if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return done(null, payload);
      exchange.party = request.viewer?.accountId ?? request.ip;
      if (payload.length < partsFrom || request.method === 'HEAD') {
        this.#hold(exchange, payload.length);
        return done(null, payload);
      }
      reply.header('content-length', Buffer.byteLength(payload));
      // Bytes made beforehand, such as a page's script, are shared by all who ask for them.
      this.#hold(
        exchange,
        Buffer.isBuffer(payload) ? Math.min(payload.length, unreadAtOnce) : payload.length,
      );
      done(
        null,
        Readable.from(
          parts(payload, () => (exchange.taken = Date.now())),
          { objectMode: false },
        ),
      );
    });
  }

  /**
   * Counts a part of an answer that goes on, until `free`; `take` is called with what its client has read.
   */
  hold(response: ServerResponse, account: number | undefined, bytes: number): Part {
    const { [exchangeOf]: exchange }: Exchanging = response;
    const isOpen = exchange?.connection.begun.includes(exchange);
    if (!exchange || !isOpen) return { take: () => undefined, free: () => undefined };
    exchange.party = account ?? '';
    this.#hold(exchange, bytes);
    return {
      take: () => {
        exchange.taken = Date.now();
      },
      free: () => this.#free(exchange),
    };
  }

  /**
   * What a request may use until its answer is made.
   * @param until when it has to be over, on the clock of `performance`
   */
  budgetOf(request: FastifyRequest, account: number, until: number): Budget {
    const { socket } = request.raw;
    request.budget = new RequestBudget(this.#large, account, until, () => !socket.destroyed);
    return request.budget;
  }

  #connection(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known) return known;
    const connection: Connection = { socket, begun: [], waiting: [] };
    this.#connections.set(socket, connection);
    // Each request whose answer is held back listens for the end: beyond ten listeners Node warns of a leak.
    socket.setMaxListeners(socket.getMaxListeners() + maxUnread);
    // Answers that wait behind another get no event when the connection closes.
    socket.once('close', () => {
      this.#connections.delete(socket);
      const { begun } = connection;
      connection.begun = [];
      connection.waiting.length = 0;
      for (const exchange of begun) this.#free(exchange);
    });
    return connection;
  }

  #begin(
    connection: Connection,
    listener: RequestListener,
    ...[request, response]: Parameters<RequestListener>
  ): void {
    const exchange: Exchange = { connection, party: '', bytes: 0, made: 0, taken: 0 };
    connection.begun.push(exchange);
    const exchanging: Exchanging = response;
    exchanging[exchangeOf] = exchange;
    response.on('close', () => this.#end(connection));
    listener(request, response);
  }

  /** The first of a connection's answers was read: they end in the order of their requests. */
  #end(connection: Connection): void {
    const ended = connection.begun.shift();
    if (ended) this.#free(ended);
    const [next] = connection.begun;
    if (next) next.taken = Date.now();
    if (next?.made) next.made = next.taken;
    while (connection.waiting.length > 0 && mayBegin(connection)) connection.waiting.shift()?.();
  }

  #hold(exchange: Exchange, bytes: number): void {
    const { party } = exchange;
    exchange.bytes = bytes;
    exchange.made = exchange.taken = Date.now();
    this.#unread.add(party, bytes);
    for (;;) {
      const excess = this.#unread.excess(party);
      const stalest = excess === undefined ? undefined : this.#stalest(excess);
      // One that is alone is within what an answer may have.
      if (!stalest || stalest === exchange) return;
      this.#giveUp(stalest);
    }
  }

  #free(exchange: Exchange): void {
    const { party, bytes, made } = exchange;
    if (made === 0) return;
    exchange.made = 0;
    this.#unread.add(party, -bytes);
    this.#large.look();
  }

  #look(): void {
    const now = Date.now();
    const { unread, unhurried, strangers } = this.#patience;
    const isHurried = this.#large.isWaitedFor;
    for (const { begun } of this.#connections.values()) {
      // Those behind it wait for it, not for their client.
      const [exchange] = begun;
      if (!exchange || exchange.made === 0) continue;
      const { taken, made, bytes, party } = exchange;
      const isSlow = isStranger(party)
        ? now - made > strangers + (bytes / slowest) * 1000
        : isHurried && bytes >= maxUnreadBytes && now - made > unhurried;
      if (isSlow || now - taken > unread) this.#giveUp(exchange);
    }
  }

  #stalest(party: Party): Exchange | undefined {
    let stalest: Exchange | undefined;
    for (const { begun } of this.#connections.values()) {
      for (const exchange of begun) {
        if (exchange.made === 0 || exchange.party !== party) continue;
        if (!stalest || staleness(exchange) < staleness(stalest)) stalest = exchange;
      }
    }
    return stalest;
  }

  /**
   * Its bytes count no more from now on, though its connection closes only in a moment: the next is
   * another's.
   */
  #giveUp(exchange: Exchange): void {
    this.#abandoned += 1;
    this.#free(exchange);
    exchange.connection.socket.destroy();
  }
}

/** Since when an answer is not read; one to a stranger counts from when it was made, however slowly it is read. */
const staleness = ({ party, made, taken }: Exchange): number => (isStranger(party) ? made : taken);

const mayBegin = ({ begun }: Connection): boolean =>
  begun.length < maxUnread && begun.reduce((sum, { bytes }) => sum + bytes, 0) < maxUnreadBytes;
