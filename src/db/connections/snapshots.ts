/**
 * Reading much of what an account has as it is at one moment. That takes as long as its reader does, so it
 * has connections of its own, few, and none of those that requests wait for.
 */
import type pg from 'pg';
import { classify } from '../errors.ts';
import { limitStatement, noDeadline } from '../scheduler/deadline.ts';
import { sendQuery } from '../scheduler/prepared_query.ts';
import { unprepared } from '../scheduler/statement_names.ts';
import type { Statement } from '../sql/sql.ts';
import { connectionOf, openPool, type PoolOptions } from './pool.ts';
import { cutOff, maxSlots, type Slot, Slots } from './snapshot_slots.ts';
import { connectionIn, TextStream } from './stream.ts';

/** How long a statement may take that is not a stream, in milliseconds. */
const longestStatementMs = 60_000;

/**
 * How long a snapshot may be read, in milliseconds: until then PostgreSQL cannot vacuum what has
 * become dead since.
 */
export const longestSnapshotMs = 3_600_000;

/** The database as it was at one moment, while it is open. */
export interface Snapshot {
  query<Row>(statement: Statement): Promise<Row[]>;
  /**
   * The texts of a statement's one column, row by row; one statement at a time.
   * @throws {Fault} UNAVAILABLE when its reader kept others waiting
   */
  stream(statement: Statement): AsyncGenerator<readonly string[]>;
  /** Ends it, even in the middle of a statement. */
  close(): void;
}

/** Opens snapshots over a pool of its own, as many as there are slots. */
export class Snapshots {
  readonly #pool: pg.Pool;
  readonly #slots = new Slots();
  readonly #onStatement: (text: string) => void;

  constructor(
    options: PoolOptions & Required<Pick<PoolOptions, 'connectTimeoutMs'>>,
    onStatement: (text: string) => void,
    onError: (error: Error) => void,
  ) {
    this.#onStatement = onStatement;
    this.#pool = openPool({
      ...options,
      poolSize: maxSlots.ofAll,
      statementTimeoutMs: longestSnapshotMs,
    });
    // Nobody waits for them: one that is open costs the database more than opening it.
    this.#pool.options.idleTimeoutMillis = 1000;
    this.#pool.on('error', onError);
  }

  /**
   * @param signal ends the wait for a slot
   * @throws {Fault} as {@link Slots.take}; UNAVAILABLE when the database cannot be reached
   */
  async open(account: number | undefined, signal: AbortSignal): Promise<Snapshot> {
    const slot = await this.#slots.take(account, signal);
    try {
      return await this.#begin(await connectionOf(this.#pool, noDeadline), slot);
    } catch (error) {
      slot.leave();
      throw classify(error);
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #begin(client: pg.PoolClient, slot: Slot): Promise<Snapshot> {
    // A lost connection shows in the statements that use it.
    const onError = () => undefined;
    client.on('error', onError);
    let isClosed = false;
    let atWork = 0;
    const close = () => {
      if (isClosed) return;
      isClosed = true;
      client.removeListener('error', onError);
      // The driver would wait for a statement's last row.
      if (atWork > 0) connectionIn(client).stream.destroy();
      client.release(true);
      slot.leave();
    };
    let isCutOff = false;
    slot.onLoss(() => {
      isCutOff = true;
      close();
    });
    const query = <Row>({ text, values }: Statement): Promise<Row[]> => {
      this.#onStatement(text);
      atWork += 1;
      return new Promise<Row[]>((resolve, reject) => {
        const take = (rows: unknown[]) => resolve(rows as Row[]);
        const fail = (error: Error) => reject(classify(error));
        sendQuery(client, unprepared(text), values, take, fail);
      }).finally(() => {
        atWork -= 1;
      });
    };
    const onStatement = this.#onStatement;
    async function* stream({ text, values }: Statement) {
      await query({ text: limitStatement(longestSnapshotMs), values: [] });
      onStatement(text);
      const rows = new TextStream(client, text, values);
      atWork += 1;
      client.query(rows);
      try {
        for await (const batch of rows.batches()) {
          slot.give(batch.reduce((bytes, { length }) => bytes + length, 0));
          yield batch;
          if (isCutOff) break;
          slot.ask();
        }
        atWork -= 1;
      } catch (error) {
        throw isCutOff ? cutOff() : classify(error);
      }
      if (isCutOff) throw cutOff();
    }
    try {
      await Promise.all(beginning.map((text) => query({ text, values: [] })));
    } catch (error) {
      client.removeListener('error', onError);
      client.release(true);
      throw error;
    }
    return { query, stream, close };
  }
}

/**
 * A pooler may have given the session other limits; and PostgreSQL should notice by itself when the
 * client has gone.
 */
const beginning = [
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  limitStatement(longestStatementMs),
  `SET LOCAL idle_in_transaction_session_timeout = ${longestSnapshotMs}`,
  'SET LOCAL client_connection_check_interval = 1000',
] as const;
