import type pg from 'pg';

/**
 * Gives a database a new identity for clients that follow its changes: the order of transactions begins anew,
 * what was written before comes first, by its ids, and earlier cursors are no longer valid.
 * @param client in a transaction that keeps everybody else from writing
 */
export async function renewIncarnation(client: pg.ClientBase): Promise<void> {
  await client.query('UPDATE audit_entries SET change_order = 0 WHERE change_order <> 0');
  await client.query('UPDATE incarnations SET id = DEFAULT');
}
