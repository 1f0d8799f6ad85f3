import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { signingKey } from '../../src/auth/tokens.ts';
import { seed } from '../../src/cli/seed.ts';
import { openDatabase } from '../../src/db/database.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(60_000);

const secret = 'a secret of thirty-two bytes, at least';
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

let directory: string;
let file: TestDatabase;
let token: string;
let account: number;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm shutdown '));
  file = await createDatabase();
  const database = await openDatabase({ url: file.url });
  const options = { key: signingKey(secret), tokenTtl: null, now: new Date() };
  ({ token, account_id: account } = await seed(database, options));
  await database.close();
});
afterAll(async () => {
  await file.close();
  await rm(directory, { recursive: true, force: true });
});

interface Running {
  readonly process: ChildProcess;
  readonly port: number;
  readonly exit: Promise<unknown[]>;
}

async function start(env: NodeJS.ProcessEnv = {}): Promise<Running> {
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: directory,
      DATABASE_URL: file.url,
      JWT_SECRET: secret,
      LOG_LEVEL: 'fatal',
      WORKERS: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const [banner] = await once(child.stdout, 'data');
  return { process: child, port: Number(/:(\d+)/.exec(String(banner))?.[1]), exit };
}

/** One call on a connection of its own. */
function call(port: number, method: string, path: string, body: object = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        method,
        path: `/api/v1/accounts/${account}${path}`,
        agent: false,
        rejectUnauthorized: false,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

test('SIGTERM lets requests in flight finish, refuses new ones, and ends with 0', async () => {
  const service = await start();
  const letGo = await file.hold('SELECT FROM deals WHERE account_id = $1 FOR UPDATE', [account]);
  const [deal] = await file.query<{ id: number }>('SELECT min(id) AS id FROM deals');
  const inFlight = call(service.port, 'PUT', `/deals/${deal?.id}`, { name: 'Renamed' });
  await sleep(500);
  const asked = Date.now();
  service.process.kill('SIGTERM');
  await sleep(300);
  await expect(call(service.port, 'POST', '/deals/search')).rejects.toThrow('ECONNREFUSED');
  await letGo();
  expect(await inFlight).toBe(200);
  expect(await service.exit).toEqual([0, null]);
  expect(Date.now() - asked).toBeLessThan(10_000);
  expect(await file.query('SELECT name FROM deals WHERE id = $1', [deal?.id])).toEqual([
    { name: 'Renamed' },
  ]);
});

test('two processes on one database serve as one; either may be killed', async () => {
  const [one, two] = await Promise.all([start(), start()]);
  expect(await call(one.port, 'POST', '/contacts', { email: 'one@acme.test' })).toBe(201);
  expect(await call(two.port, 'POST', '/contacts', { email: 'one@acme.test' })).toBe(422);
  one.process.kill('SIGKILL');
  await one.exit;
  expect(await call(two.port, 'POST', '/contacts/upsert', { email: 'one@acme.test' })).toBe(200);
  two.process.kill('SIGINT');
  expect(await two.exit).toEqual([0, null]);
});
