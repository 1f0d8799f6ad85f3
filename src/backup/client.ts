import pg from 'pg';
import { asOptions } from '../db/connections/settings.ts';
import { patient } from '../db/migrations/session.ts';

/** Values are written by one server and read by another in the same words. */
const settings = {
  ...patient,
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  client_encoding: 'UTF8',
};

/** Runs `work` over a connection that takes its time. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'crm backup',
    options: asOptions(settings),
  });
  // Unhandled, the loss of the connection would end the process; the work fails of it anyway.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
