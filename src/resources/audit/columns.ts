/** What the audit trail tells of a record: every column that is stored, but for those named here. */
import type { Shape } from '../../db/shape.ts';

/** Whom a record belongs to, and when it was written: an entry has these as its own. */
const ofEveryEntry = ['id', 'account_id', 'created_at', 'updated_at'];

/**
 * Columns of tables that no entry tells: secrets, the order of deals from which their positions are
 * told instead, and what moves as records are used.
 */
const untold: Readonly<Record<string, readonly string[]>> = {
  users: ['password_hash'],
  api_tokens: ['jti', 'kid', 'last_used_at'],
  sessions: ['token_hash', 'last_used_at', 'expires_at'],
  sign_in_codes: ['code_hash'],
  stages: ['deals_count', 'ranks_ahead', 'piece_ranks', 'piece_places', 'piece_steps'],
  deals: ['rank', 'rank_fraction'],
};

/** Whether entries tell a stored column. */
export const isTold = (table: string, column: string): boolean =>
  !ofEveryEntry.includes(column) && !untold[table]?.includes(column);

/** The columns that entries of a kind of record tell, those included that another row tells. */
export const toldColumns = ({
  table,
  columns,
  told = {},
}: Pick<Shape, 'table' | 'columns' | 'told'>): readonly string[] => [
  ...Object.keys(columns).filter((column) => isTold(table, column)),
  ...Object.keys(told),
];
