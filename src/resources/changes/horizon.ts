import type { Queryable } from '../../db/database.ts';
import { raw } from '../../db/sql/sql.ts';

/** Up to where the order of an account's changes is final: later ones are placed behind. */
export interface Horizon {
  /**
   * Every change whose `change_order` (see the migrations) is below is there to be read, and none
   * will come.
   */
  readonly order: number;
  /** Of the database whose order it is. */
  readonly incarnation: string;
}

/**
 * SQL: a row with `order` and `incarnation`. Where accounts are spread over servers, the coordinator's own
 * transactions order the changes; the query goes there because only the coordinator has this table.
 */
export const askHorizon = raw(
  'SELECT change_horizon() AS "order", id AS incarnation FROM incarnations',
);

/**
 * Reads where the order is still open. A statement that begins afterwards reads all that comes before; one
 * that had begun might not.
 */
export async function readHorizon(db: Queryable): Promise<Horizon> {
  const [horizon] = await db.query<Horizon>(askHorizon, { reads: true });
  if (!horizon) throw new Error('the database did not say which one it is');
  return horizon;
}
