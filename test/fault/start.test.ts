/** A start that fails when most of the service is up. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';

let database: TestDatabase;
let other: Server;

beforeAll(async () => {
  database = await createDatabase();
  other = await listening(0);
});

afterAll(async () => {
  other.close();
  await database.close();
});

async function listening(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server) => {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

test('where another program has the port for operators, neither a port nor a connection stays', async () => {
  const port = await freePort();
  const starting = startService({
    database,
    env: { PORT: String(port), ADMIN_PORT: String(portOf(other)), WEBHOOK_DELIVERY: 'on' },
  });
  await expect(starting).rejects.toMatchObject({ code: 'EADDRINUSE' });
  (await listening(port)).close();
  const open = () =>
    database.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'crm'`,
    );
  expect(await until(open, ([row]) => row?.open === 0, 5000)).toEqual([{ open: 0 }]);
});
