/** What is known of a statement once it is over, for operators. */
import pg from 'pg';
import { others } from '../../lib/counts.ts';
import type { PreparedStatement } from './statement_names.ts';
import { StatementRecords } from './statement_records.ts';

/** Statements that take more milliseconds are reported. */
const slowMs = 1000;

/** A statement that took long, whatever came of it. */
export interface SlowStatement {
  /** As in the figures: `SELECT contacts`. */
  readonly name: string;
  /** Undefined for the service's own. */
  readonly account: number | undefined;
  readonly ms: number;
  /** How many it returned. */
  readonly rows: number;
  /** The SQLSTATE with which it failed; undefined when it did not. */
  readonly code?: string;
}

/** A statement, and whose it is. */
export interface Observed {
  readonly statement: PreparedStatement;
  readonly account: number | undefined;
}

/** Notes how statements ended, and reports those that took long. */
export class StatementObserver {
  readonly records = new StatementRecords();
  readonly #onSlow: (slow: SlowStatement) => void;

  constructor(onSlow: (slow: SlowStatement) => void) {
    this.#onSlow = onSlow;
  }

  succeeded({ statement, account }: Observed, ms: number, rows: number): void {
    const record = this.records.of(statement);
    record.note(ms, rows);
    if (ms > slowMs) this.#onSlow({ name: record.name, account, ms, rows });
  }

  failed({ statement, account }: Observed, ms: number, error: Error): void {
    const code = codeOf(error);
    this.records.errors.add(code);
    if (ms <= slowMs) return;
    this.#onSlow({ name: this.records.of(statement).name, account, ms, rows: 0, code });
  }
}

/** The SQLSTATE of an error; an error of the connection has none. */
const codeOf = (error: Error): string =>
  (error instanceof pg.DatabaseError ? error.code : undefined) ?? others;
