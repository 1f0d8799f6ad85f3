/** nginx before the service, with the settings that the guide shows. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { given } from '../kit/environment.ts';
import { blocksOf, textOf } from '../kit/guides.ts';
import { call, type Demo, demo, killProcesses, startProcess } from '../kit/process.ts';
import { until } from '../kit/wait.ts';

const guide = 'src/docs/how-to/operate.md';

/** What the guide says the service is to be started with. */
const settings = Object.fromEntries(
  [...textOf(guide).matchAll(/`(TLS|TRUSTED_PROXIES|PUBLIC_URL|NODE_ENV)=([^`]+)`/g)].map(
    ([, name = '', value = '']) => [name, value],
  ),
);

let shop: Demo;
let directory: string;
let nginx: ChildProcess;
let port: number;

beforeAll(async () => {
  shop = await demo();
  const none = { TLS_CERT_FILE: undefined, TLS_KEY_FILE: undefined };
  const service = await startProcess(shop, { ...none, ...settings });
  directory = await mkdtemp(join(tmpdir(), 'crm-nginx-'));
  // Its workers are nobody, where it was root that started it.
  await chmod(directory, 0o755);
  port = await freePort();
  nginx = spawn('nginx', ['-p', directory, '-c', await configurationOf(service.port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(nginx, 'spawn');
  expect(await until(ready, (status) => status === 200, 10_000)).toBe(200);
});

afterAll(async () => {
  nginx.kill();
  killProcesses();
  await shop.database.close();
  await rm(directory, { recursive: true });
});

/** The guide's block, in a file that needs no more than it: ports, certificate and folders are the test's. */
async function configurationOf(service: number): Promise<string> {
  const [block = ''] = blocksOf(guide, 'nginx');
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(directory, kind)};`,
  );
  const file = join(directory, 'nginx.conf');
  const shown = block
    .replace('127.0.0.1:8443', `127.0.0.1:${service}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('/etc/nginx/crm.pem', `"${given('CRM_TEST_CERT')}"`)
    .replace('/etc/nginx/crm.key', `"${given('CRM_TEST_KEY')}"`);
  await writeFile(
    file,
    `daemon off; pid ${join(directory, 'pid')}; error_log stderr; events {}
     http { access_log off; ${folders.join(' ')} ${shown} }`,
  );
  return file;
}

const ready = () =>
  call({ port }, shop, 'POST', '/contacts/search').catch(({ message }: Error) => message);

interface Answer {
  readonly status: number | undefined;
  readonly text: () => string;
  readonly end: Promise<unknown>;
  readonly close: () => void;
}

/** Sends a request to nginx, and gives the beginning of its answer as soon as there is one. */
async function ask(path: string, accept: string, body?: string): Promise<Answer> {
  const sent = request({
    port,
    path,
    method: body === undefined ? 'GET' : 'POST',
    rejectUnauthorized: false,
    headers: {
      authorization: `Bearer ${shop.token}`,
      'content-type': 'application/json',
      accept,
    },
  });
  const answered = once(sent, 'response');
  sent.end(body);
  const [response] = await answered;
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => (text += part));
  return {
    status: response.statusCode,
    text: () => text,
    end: once(response, 'end'),
    close: () => sent.destroy(),
  };
}

test('the service answers behind nginx, and knows where it is reached', async () => {
  expect(settings).toEqual({
    TLS: 'proxy',
    TRUSTED_PROXIES: '127.0.0.1',
    PUBLIC_URL: 'https://crm.example.com',
    NODE_ENV: 'production',
  });
  expect(await call({ port }, shop, 'POST', '/contacts', { email: 'nginx@acme.test' })).toBe(201);
  const nothing = await ask('/api/v1/nothing', 'application/problem+json');
  await nothing.end;
  expect([nothing.status, JSON.parse(nothing.text()).type]).toEqual([
    404,
    'https://crm.example.com/docs/errors#no_route',
  ]);
});

test('a stream gets each change as it is made', async () => {
  const changes = `/api/v1/accounts/${shop.accountId}/changes?after=now`;
  const stream = await ask(changes, 'text/event-stream');
  expect(stream.status).toBe(200);
  expect(await call({ port }, shop, 'POST', '/contacts', { email: 'stream@acme.test' })).toBe(201);
  const arrives = async () => stream.text().includes('stream@acme.test');
  expect(await until(arrives, (there) => there, 5000)).toBe(true);
  const closed = stream.end.catch(({ code }: NodeJS.ErrnoException) => code);
  stream.close();
  expect(await closed).toBe('ECONNRESET');
});

test('the service itself says what is too large', async () => {
  const contacts = `/api/v1/accounts/${shop.accountId}/contacts`;
  const body = JSON.stringify({ full_name: 'x'.repeat(1.5 * 1024 ** 2) });
  const refused = await ask(contacts, 'application/json', body);
  await refused.end;
  expect([refused.status, JSON.parse(refused.text())]).toEqual([
    413,
    {
      error: 'Payload too large',
      errors: ['The request body must not have more than 1,048,576 bytes, unpacked'],
      code: 'payload_too_large',
      request_id: expect.any(String),
    },
  ]);
});
