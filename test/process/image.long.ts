/** The files of the image, run without those of the checkout around them. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Client } from '../kit/http.ts';
import {
  type Demo,
  demo,
  killProcesses,
  type ServiceProcess,
  startProcess,
} from '../kit/process.ts';
import { secret } from '../kit/service.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(60_000);

const root = fileURLToPath(new URL('../../', import.meta.url));
const image = mkdtempSync(join(tmpdir(), 'crm-image-'));

/** What the last stage of the Dockerfile copies, and where to. */
const copied = (
  readFileSync(join(root, 'src/deploy/Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .at(-1) ?? ''
)
  .split('\n')
  .filter((line) => line.startsWith('COPY '))
  .flatMap((line) => {
    const paths = line.split(' ').filter((part) => part !== 'COPY' && !part.startsWith('--'));
    const to = paths.at(-1) ?? '';
    return paths.slice(0, -1).map((from) => ({ from: from.replace('/crm/', ''), to }));
  });

let shop: Demo;
let service: ServiceProcess;
beforeAll(async () => {
  for (const { from, to } of copied) {
    const name = to.endsWith('/') ? (from.split('/').at(-1) ?? '') : '';
    cpSync(join(root, from), join(image, to, name), { recursive: true });
  }
  rmSync(join(image, 'dist', 'modules'), { recursive: true });
  shop = await demo();
  service = await startProcess(shop, {}, { version: image });
}, 60_000);
afterAll(async () => {
  killProcesses();
  await shop.database.close();
  rmSync(image, { recursive: true });
});

test('they serve the interface and every page', async () => {
  const client = new Client(service.url);
  const paths = ['/readyz', '/docs', '/openapi.json', '/graphiql', '/schema.graphql', '/console'];
  const statuses: [string, number][] = [];
  for (const path of paths)
    statuses.push([path, (await client.send({ method: 'GET', path })).status]);
  expect(statuses).toEqual(paths.map((path) => [path, 200]));
  const { status } = await client.send({
    method: 'POST',
    path: `/api/v1/accounts/${shop.accountId}/contacts`,
    headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ full_name: 'Ana' }),
  });
  expect(status).toBe(201);
  client.close();
});

test('their command line applies migrations, of which none is missing', async () => {
  const args = [join(image, 'dist/cli/main.js'), 'migrate'];
  const env = { ...process.env, DATABASE_URL: shop.database.url, JWT_SECRET: secret };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  expect({ applied: JSON.parse(stdout), stderr }).toEqual({
    applied: { applied: [], current: true },
    stderr: '',
  });
});

test('they take at most 40 MB, of which packages that are not bundled take 10', () => {
  const bytesOf = (directory: string): number =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .map((file) => statSync(join(directory, file)))
      .reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0);
  expect(bytesOf(join(image, 'node_modules'))).toBeLessThan(10e6);
  expect(bytesOf(image)).toBeLessThan(40e6);
});
