/** Sends statements over the pool's connections: one alone, or several of one turn of the event loop together. */
import type pg from 'pg';
import type { RequestIdentity } from '../../lib/tracing.ts';
import { takeConnection } from '../connections/pool.ts';
import { isRefusal } from '../errors.ts';
import {
  answerMs,
  limitStatement,
  noDeadline,
  type RemainingMs,
  takesTooLong,
} from './deadline.ts';
import { groupsOf } from './pipeline_groups.ts';
import { sendQuery } from './prepared_query.ts';
import type { ConnectionScheduler } from './scheduler.ts';
import { type PreparedStatement, unprepared } from './statement_names.ts';
import type { StatementObserver } from './statement_observer.ts';
import { StatementStatistic } from './statement_statistic.ts';

/** A statement that is to be sent. */
export interface PendingStatement {
  readonly statement: PreparedStatement;
  readonly values: readonly unknown[];
  /** Whose it is; undefined for the service's own. */
  readonly account: number | undefined;
  readonly request: RequestIdentity | undefined;
  /** When its call has to be over, on the clock of `performance`. */
  readonly until: number;
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}

export interface DispatcherOptions {
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
  readonly observer: StatementObserver;
}

/** At most this many statements share a connection. */
const maxPerConnection = 8;

/** What is known of the statements of one name; names stay, for there are few of them. */
class StatementKind extends StatementStatistic {
  /** Those that wait for the end of the turn. */
  pending: PendingStatement[] | undefined;
}

/**
 * Statements go out at the end of the turn of the event loop that asked for them: sending one wakes
 * PostgreSQL, which may take the core at once, so all that arrived in this turn is looked at before.
 */
export class StatementDispatcher {
  readonly #pool: pg.Pool;
  readonly #scheduler: ConnectionScheduler;
  readonly #options: DispatcherOptions;
  readonly #kinds = new Map<string, StatementKind>();
  /** Statements that may share a connection, from being asked for to their answers. */
  #inFlight = 0;

  /** @param scheduler of the pool's connections: those that share one take a single lease together */
  constructor(pool: pg.Pool, scheduler: ConnectionScheduler, options: DispatcherOptions) {
    this.#pool = pool;
    this.#scheduler = scheduler;
    this.#options = options;
  }

  /** Whether an account's statements of a name are known as short. */
  mayShare(account: number | undefined, name: string): boolean {
    return this.#kinds.get(name)?.isShortFor(account) === true;
  }

  /**
   * Runs a statement on a connection that nobody else uses meanwhile; its caller has a lease.
   * @param hasWaited whether the caller waited for it, so that there is nothing more to wait for
   */
  sendExclusive(pending: PendingStatement, hasWaited: boolean): void {
    const send = () => this.#send([pending], () => undefined);
    if (hasWaited) send();
    else setImmediate(send);
  }

  /**
   * Runs a statement that has a name on a connection that others of the name and turn may share: under
   * load PostgreSQL and this process then wake each other once for several, and waking is most of
   * what a short statement costs. Those that share one wait for each other, and the shortest do so
   * unnoticed. Of longer ones each has a connection for itself while few are in flight, and with more they
   * are spread evenly. The longer the kind takes, the fewer share, and none waits for another kind. What is
   * stopped after its time holds up those behind it, at most until theirs is over, too: then all of them fail.
   *
   * It must not change anything: each commit would wait for the disk before the next one began.
   */
  sendPipelined(pending: PendingStatement): void {
    const kind = this.#kindOf(pending.statement.name);
    this.#inFlight += 1;
    if (kind.pending) {
      kind.pending.push(pending);
      return;
    }
    const alike = [pending];
    kind.pending = alike;
    setImmediate(() => {
      kind.pending = undefined;
      for (const group of groupsOf(alike, this.#maxSharing(kind)))
        void this.#run(pending.statement.text, kind, group);
    });
  }

  #kindOf(name: string): StatementKind {
    let kind = this.#kinds.get(name);
    if (!kind) {
      kind = new StatementKind();
      this.#kinds.set(name, kind);
    }
    return kind;
  }

  /** How many may share a connection, rounded up; what has not been seen yet has one for itself. */
  #maxSharing({ usualMs }: StatementStatistic): number {
    const { worthWaitingMs, unnoticedMs, spreadOver } = this.#options;
    if (usualMs === undefined) return 1;
    const evenlySpread = this.#inFlight / spreadOver;
    const worthWaiting = worthWaitingMs / usualMs;
    const unnoticed = unnoticedMs / usualMs;
    return Math.min(maxPerConnection, Math.max(Math.min(evenlySpread, worthWaiting), unnoticed));
  }

  /**
   * Statements that share are short, so their lease counts for no account: the one that sent most
   * delays nobody.
   */
  async #run(
    text: string,
    statistic: StatementStatistic,
    group: readonly PendingStatement[],
  ): Promise<void> {
    try {
      const use = { account: undefined, writes: false, kind: text, until: soonest(group) };
      const acquiring = this.#scheduler.acquire(use);
      const lease = acquiring instanceof Promise ? await acquiring : acquiring;
      const ms = await new Promise<number | undefined>((resolve) => this.#send(group, resolve));
      lease.release();
      if (ms !== undefined) statistic.recordUsual(ms / group.length);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    this.#inFlight -= group.length;
  }

  /**
   * @param ended called when all are answered, with the milliseconds that they took; without them when there
   *   was no connection
   */
  #send(group: readonly PendingStatement[], ended: (ms?: number) => void): void {
    takeConnection(
      this.#pool,
      soonest(group),
      (client) => this.#sendOn(client, group, ended),
      (error) => {
        for (const { reject } of group) reject(error);
        ended();
      },
    );
  }

  /** Sends statements on one connection, without waiting for answers in between. */
  #sendOn(
    client: pg.PoolClient,
    group: readonly PendingStatement[],
    ended: (ms: number) => void,
  ): void {
    const { remainingMs, onStatement, onPrepared, observer } = this.#options;
    let broken: Error | undefined;
    const wasAlone = this.#isAlone(group);
    const began = performance.now();
    let unanswered = group.length;
    let answeredAt = began;
    /** @returns the milliseconds that it took */
    const answered = ({ account, statement: { name } }: PendingStatement): number => {
      const now = performance.now();
      const ms = now - answeredAt;
      if (name) this.#kindOf(name).recordRun(account, ms);
      answeredAt = now;
      unanswered -= 1;
      if (unanswered > 0) return ms;
      if (wasAlone && name && this.#isAlone(group)) onPrepared(name, now - began);
      client.release(broken);
      ended(now - began);
      return ms;
    };
    const { stream } = client.connection;
    stream.cork();
    for (const one of group) {
      const succeed = (rows: unknown[]) => {
        observer.succeeded(one, answered(one), rows.length);
        one.resolve(rows);
      };
      const fail = (error: Error, isSent = true) => {
        if (isSent && !isRefusal(error)) broken = error;
        const ms = answered(one);
        if (isSent) observer.failed(one, ms, error);
        one.reject(error);
      };
      const ms = remainingMs(one.until);
      if (ms === 0) fail(takesTooLong(), false);
      else if (ms < noDeadline) sendLimited(client, one, ms, onStatement, succeed, fail);
      else sendQuery(client, one.statement, one.values, succeed, fail);
    }
    stream.uncork();
  }

  /** Whether a single statement was asked for, and no other is at work. */
  #isAlone(group: readonly PendingStatement[]): boolean {
    return group.length === 1 && this.#pool.totalCount - this.#pool.idleCount === 1;
  }
}

/**
 * Sends a statement whose call has less time than statements usually have: PostgreSQL stops it when
 * that is over. The transaction for this goes out in one piece, so that it takes no longer where the
 * network is slow.
 * @param timeLeft milliseconds
 * @param onStatement called with the texts sent around it
 */
function sendLimited(
  client: pg.PoolClient,
  pending: PendingStatement,
  timeLeft: number,
  onStatement: (text: string) => void,
  resolve: (rows: unknown[]) => void,
  reject: (error: Error) => void,
): void {
  const ms = answerMs(timeLeft);
  let rows: unknown[] = [];
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
  };
  const send = (
    statement: PreparedStatement,
    values: readonly unknown[],
    then: (rows: unknown[]) => void,
    otherwise = fail,
  ) => sendQuery(client, statement, values, then, otherwise, ms);
  const around = [
    unprepared('BEGIN'),
    unprepared(limitStatement(timeLeft)),
    unprepared('COMMIT'),
  ] as const;
  const [begin, limit, commit] = around;
  for (const { text } of around) onStatement(text);
  send(begin, [], () => undefined);
  send(limit, [], () => undefined);
  send(pending.statement, pending.values, (answer) => {
    rows = answer;
  });
  const end = () => (failure ? reject(failure) : resolve(rows));
  send(commit, [], end, (error) => reject(failure ?? error));
}

/** When the first of those that share a connection has to be over. */
function soonest(group: readonly PendingStatement[]): number {
  let until = noDeadline;
  for (const one of group) if (one.until < until) until = one.until;
  return until;
}
