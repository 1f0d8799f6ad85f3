/** Statements that have less time than usual. */
import type pg from 'pg';
import { answerMs, limitStatement } from './deadline.ts';
import { PreparedQuery } from './prepared_query.ts';
import type { PreparedStatement } from './statement_names.ts';

/** A statement that is to be sent. */
export interface Sent {
  readonly statement: PreparedStatement;
  readonly values: readonly unknown[];
  /** Whose it is; undefined for the service's own. */
  readonly account: number | undefined;
  /** When its call has to be over, on the clock of `performance`. */
  readonly until: number;
}

/**
 * Sends a statement whose call has less time than statements usually have: PostgreSQL stops it when
 * that is over. The transaction for this goes out in one piece, so that it takes no longer where the
 * network is slow.
 * @param left milliseconds
 * @param onStatement called with the texts sent around it
 */
export function sendLimited(
  client: pg.PoolClient,
  sent: Sent,
  left: number,
  onStatement: (text: string) => void,
  resolve: (rows: unknown[]) => void,
  reject: (error: Error) => void,
): void {
  const ms = answerMs(left);
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
  ) => void client.query(new PreparedQuery(statement, values, then, otherwise, ms));
  const around = [plain('BEGIN'), plain(limitStatement(left)), plain('COMMIT')] as const;
  const [begin, limit, commit] = around;
  for (const { text } of around) onStatement(text);
  send(begin, [], () => undefined);
  send(limit, [], () => undefined);
  send(sent.statement, sent.values, (found) => {
    rows = found;
  });
  const end = () => (failure ? reject(failure) : resolve(rows));
  send(commit, [], end, (error) => reject(failure ?? error));
}

/** A statement that is not kept prepared. */
export const plain = (text: string): PreparedStatement => ({ name: '', text });
