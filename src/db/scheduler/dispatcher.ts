/** How statements get onto connections of the pool: one alone, or several of one turn together. */
import pg from 'pg';
import { takeConnection } from '../connections/pool.ts';
import { noDeadline, type RemainingMs, takesTooLong } from './deadline.ts';
import { movingAverage } from './moving_average.ts';
import { PreparedQuery } from './prepared_query.ts';
import type { ConnectionScheduler } from './scheduler.ts';
import { type Sent, sendLimited } from './send.ts';
import { Shortness, slow } from './slow_statement_penalty.ts';

/** A statement, and the caller that waits for its rows. */
interface Asked extends Sent {
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}

/** Written out, not spread, like whatever every request copies (`src/README.md`). */
const askedOf = (
  { statement, values, account, until }: Sent,
  resolve: Asked['resolve'],
  reject: Asked['reject'],
): Asked => ({ statement, values, account, until, resolve, reject });

/** Who is informed of statements, and how much time each has. */
export interface TurnOptions {
  readonly remainingMs: RemainingMs;
  /** How many milliseconds those that share a connection may take together, each as long as it usually does. */
  readonly worthWaitingMs: number;
  /**
   * Statements that together take no more than this many milliseconds share a connection even while others are
   * idle: waiting that long for each other goes unnoticed.
   */
  readonly unnoticedMs: number;
  /** How many connections longer statements are spread over before they share one. */
  readonly spreadOver: number;
  /** Called with the statements that are sent around one which has less time than usual. */
  readonly onStatement: (text: string) => void;
  /**
   * Called with how long a prepared statement took, in milliseconds, when no other was running: among many
   * any statement takes long.
   */
  readonly onPrepared: (name: string, ms: number) => void;
}

/** At most this many statements share a connection. */
const together = 8;

/**
 * At most this many statements of one account share a connection with those of others, which wait
 * for them.
 */
const amongOthers = 2;

/**
 * Statements go out at the end of the turn of the event loop that asked for them: sending one wakes
 * PostgreSQL, which may take the core at once, so all that arrived in this turn is looked at before.
 */
export class StatementDispatcher {
  readonly #pool: pg.Pool;
  readonly #seats: ConnectionScheduler;
  readonly #options: TurnOptions;
  /** Those of a name that wait for the end of the turn; names stay, for there are few of them. */
  readonly #open = new Map<string, Asked[] | undefined>();
  /** What a statement takes, in milliseconds, by its name. */
  readonly #usual = new Map<string, number>();
  readonly #shortness = new Shortness();
  /** Statements that may share a connection, from being asked for to their answers. */
  #underWay = 0;

  /** @param seats of the pool's connections: those that share one take a single seat together */
  constructor(pool: pg.Pool, seats: ConnectionScheduler, options: TurnOptions) {
    this.#pool = pool;
    this.#seats = seats;
    this.#options = options;
  }

  /** Whether an account's statements of a name are known as short. */
  mayShare(account: number | undefined, name: string): boolean {
    return this.#shortness.isKnown(account, name);
  }

  /**
   * Runs a statement on a connection that nobody else uses meanwhile; its caller has a seat.
   * @param waited whether the caller waited for it, so that there is nothing more to wait for
   */
  sendExclusive(
    sent: Sent,
    waited: boolean,
    resolve: Asked['resolve'],
    reject: Asked['reject'],
  ): void {
    const send = () => this.#send([askedOf(sent, resolve, reject)], () => undefined);
    if (waited) send();
    else setImmediate(send);
  }

  /**
   * Runs a statement that has a name on a connection that others of the name and turn may share: under
   * load PostgreSQL and this process then wake each other once for several, and waking is most of
   * what a short statement costs. Those that share one wait for each other, and the shortest do so
   * unnoticed. Of longer ones each has a connection for itself while few are under way, and with more they
   * are spread evenly. The longer the kind takes, the fewer share, and none waits for another kind. What is
   * stopped after its time holds up those behind it, at most until theirs is over, too: then all of them fail.
   *
   * It must not change anything: each commit would wait for the disk before the next one began.
   */
  sendPipelined(sent: Sent, resolve: Asked['resolve'], reject: Asked['reject']): void {
    const { statement } = sent;
    const { name } = statement;
    const asked = askedOf(sent, resolve, reject);
    this.#underWay += 1;
    const others = this.#open.get(name);
    if (others) {
      others.push(asked);
      return;
    }
    const alike = [asked];
    this.#open.set(name, alike);
    setImmediate(() => {
      this.#open.set(name, undefined);
      for (const group of groupsOf(alike, this.#most(name))) void this.#run(statement, group);
    });
  }

  /** How many may share a connection; what has not been seen yet has one for itself. */
  #most(name: string): number {
    const { worthWaitingMs, unnoticedMs, spreadOver } = this.#options;
    const usual = this.#usual.get(name);
    if (usual === undefined) return 1;
    const each = Math.min(this.#underWay / spreadOver, worthWaitingMs / usual);
    return Math.min(together, Math.max(each, unnoticedMs / usual));
  }

  async #run({ name, text }: Sent['statement'], group: readonly Asked[]): Promise<void> {
    const run = await this.#sendSeated(text, group);
    this.#underWay -= group.length;
    if (!run) return;
    const ms = run.ms / group.length;
    // Whose statements take that long does without sharing; nobody else has to.
    if (ms <= slow) this.#usual.set(name, movingAverage(this.#usual.get(name), ms));
  }

  /**
   * Statements that share are short, so their seat counts for no account: the one that sent most
   * delays nobody.
   */
  async #sendSeated(kind: string, asked: readonly Asked[]): Promise<Run | undefined> {
    try {
      const until = soonest(asked);
      const taking = this.#seats.acquire({ account: undefined, writes: false, kind, until });
      const seat = taking instanceof Promise ? await taking : taking;
      const run = await new Promise<Run | undefined>((resolve) => this.#send(asked, resolve));
      seat.release();
      return run;
    } catch (error) {
      for (const { reject } of asked) reject(error);
      return undefined;
    }
  }

  /** @param ended called when all are answered; without a run when there was no connection */
  #send(asked: readonly Asked[], ended: (run?: Run) => void): void {
    takeConnection(
      this.#pool,
      soonest(asked),
      (client) => this.#sendOn(client, asked, ended),
      (error) => {
        for (const { reject } of asked) reject(error);
        ended();
      },
    );
  }

  /** Sends statements on one connection, without waiting for answers in between. */
  #sendOn(client: pg.PoolClient, asked: readonly Asked[], ended: (run: Run) => void): void {
    const { remainingMs, onStatement, onPrepared } = this.#options;
    let broken: Error | undefined;
    const wasAlone = this.#isAlone(asked);
    const began = performance.now();
    let left = asked.length;
    let before = began;
    const answered = (one: Asked) => {
      const now = performance.now();
      this.#shortness.note(one.account, one.statement.name, now - before);
      before = now;
      left -= 1;
      if (left > 0) return;
      const run = { ms: now - began };
      const { name } = one.statement;
      if (wasAlone && name && this.#isAlone(asked)) onPrepared(name, run.ms);
      client.release(broken);
      ended(run);
    };
    const { stream } = client.connection;
    stream.cork();
    for (const one of asked) {
      const succeed = (rows: unknown[]) => {
        answered(one);
        one.resolve(rows);
      };
      const fail = (error: Error) => {
        if (!isRefusal(error)) broken = error;
        answered(one);
        one.reject(error);
      };
      const ms = remainingMs(one.until);
      if (ms === 0) {
        answered(one);
        one.reject(takesTooLong());
      } else if (ms < noDeadline) {
        sendLimited(client, one, ms, onStatement, succeed, fail);
      } else {
        client.query(new PreparedQuery(one.statement, one.values, succeed, fail));
      }
    }
    stream.uncork();
  }

  /** Whether a single statement was asked for, and no other is at work. */
  #isAlone(asked: readonly Asked[]): boolean {
    return asked.length === 1 && this.#pool.totalCount - this.#pool.idleCount === 1;
  }
}

/**
 * Divides the statements of one kind and turn into groups, each of which shares a connection.
 * @param most how many a group may have, rounded up
 */
function groupsOf(alike: readonly Asked[], most: number): Asked[][] {
  const groups: Asked[][] = [];
  let group: Asked[] = [];
  for (const one of alike) {
    if (group.length > 0 && group.length < most && mayJoin(group, one)) {
      group.push(one);
    } else {
      group = [one];
      groups.push(group);
    }
  }
  return groups;
}

/** Whether a statement may join a group without making other accounts wait for too many of its account. */
function mayJoin(others: readonly Asked[], { account }: Asked): boolean {
  const own = others.filter((other) => other.account === account).length;
  if (own === others.length) return true;
  const first = others[0]?.account;
  const isMixed = others.some((other) => other.account !== first);
  return own < amongOthers && (isMixed || others.length <= amongOthers);
}

/** When the first of those that share a connection has to be over. */
function soonest(asked: readonly Asked[]): number {
  let until = noDeadline;
  for (const one of asked) if (one.until < until) until = one.until;
  return until;
}

/** Statements that went over one connection. */
interface Run {
  readonly ms: number;
}

/**
 * SQLSTATEs after which PostgreSQL closes the connection, or should: it leads to a server that is a
 * standby by now; or what server and driver know of prepared statements differs for good, because one
 * is not there, is there already, or returns other columns than it did.
 */
const fatal = /^(08|25P0[34]|57P0|25006|26000|42P05|0A000)/;

/**
 * Whether PostgreSQL refused the statement and the connection remains usable. The severity would
 * not do: it is in the language of the server.
 */
export const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code !== undefined && !fatal.test(error.code);
