/** What is known of a statement once it is over, for operators. */
import pg from 'pg';
import { others } from '../../lib/counts.ts';
import { RecentUse } from '../../lib/recent_use.ts';
import { addSpan, type RequestIdentity } from '../../lib/tracing.ts';
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
  readonly code?: string | undefined;
  /** The id of the request that sent it, and of its trace. */
  readonly reqId: string | undefined;
  readonly trace_id: string | undefined;
}

/** A statement, and whose it is. */
export interface StatementUse {
  readonly statement: PreparedStatement;
  readonly account: number | undefined;
  readonly request: RequestIdentity | undefined;
}

/** Notes how statements ended, and reports those that took long. */
export class StatementObserver {
  readonly records = new StatementRecords();
  /** The time that each account's statements took of late. */
  readonly accounts = new RecentUse();
  readonly #onSlow: (slow: SlowStatement) => void;

  constructor(onSlow: (slow: SlowStatement) => void) {
    this.#onSlow = onSlow;
  }

  succeeded(one: StatementUse, ms: number, rows: number): void {
    if (one.account !== undefined) this.accounts.note(one.account, one.account, ms);
    const record = this.records.of(one.statement);
    record.note(ms, rows);
    if (ms > slowMs || one.request?.trace) this.#report(one, { name: record.name, ms, rows });
  }

  failed(one: StatementUse, ms: number, error: Error): void {
    if (one.account !== undefined) this.accounts.note(one.account, one.account, ms);
    const code = codeOf(error);
    this.records.errors.add(code);
    if (ms <= slowMs && !one.request?.trace) return;
    const { name } = this.records.of(one.statement);
    this.#report(one, { name, ms, rows: 0, code });
  }

  #report(
    { account, request }: StatementUse,
    ended: Pick<SlowStatement, 'name' | 'ms' | 'rows' | 'code'>,
  ): void {
    const { name, ms, rows, code } = ended;
    const trace = request?.trace;
    if (ms > slowMs) {
      this.#onSlow({ ...ended, account, reqId: request?.id, trace_id: trace?.id });
    }
    if (!trace?.current) return;
    const attributes = {
      'db.system.name': 'postgresql',
      'db.query.summary': name,
      'db.response.returned_rows': rows,
      'db.response.status_code': code,
    };
    addSpan(trace, name, { ms, attributes, hasFailed: code !== undefined });
  }
}

/** The SQLSTATE of an error; an error of the connection has none. */
const codeOf = (error: Error): string =>
  (error instanceof pg.DatabaseError ? error.code : undefined) ?? others;
