import type pg from 'pg';

/**
 * Makes a database another one for those who follow its changes, in which the order of its transactions
 * begins anew: what was written before comes first, by its ids, and places of before are no longer known.
 * @param client in a transaction that keeps everybody else from writing
 */
export async function renewIncarnation(client: pg.ClientBase): Promise<void> {
  await client.query('UPDATE audit_entries SET change_order = 0 WHERE change_order <> 0');
  await client.query('UPDATE incarnations SET id = DEFAULT');
}
