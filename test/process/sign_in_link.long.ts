/** The first sign-in needs no e-mail service: a link comes from the machine that runs the service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { keysOf } from '../../src/auth/keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/db/open.ts';
import { demoOnFirstStart, welcome } from '../../src/demo/first_start.ts';
import { Person } from '../kit/person.ts';
import { type Service, secret, startService } from '../kit/service.ts';
import { moment } from '../kit/shapes.ts';
import { type World, world } from '../kit/world.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(30_000);

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

let service: Service;
let w: World;
let dataDir: string;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  dataDir = await mkdtemp(join(tmpdir(), 'crm link '));
});
afterAll(async () => {
  await service.close();
  await rm(dataDir, { recursive: true });
});

const link = (...args: string[]) => linkIn({}, ...args);

async function linkIn(env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, [main, 'user', 'link', ...args], {
    env: {
      ...process.env,
      DATABASE_URL: service.database.url,
      JWT_SECRET: secret,
      DATA_DIR: dataDir,
      ...env,
    },
  });
  const closed = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { out, err, code };
}

const redeem = (url: string) => {
  const password = 'battery staple';
  const code = url.slice(url.indexOf('#') + 1);
  return new Person(service.client).send('POST', '/session', {
    code,
    password,
    password_confirmation: password,
  });
};

const file = () => join(dataDir, 'sign-in-link');
const isPrivate = async () => ((await stat(file())).mode & 0o777) === 0o600;

test('a command makes one, and puts it where its owner alone can read it', async () => {
  await writeFile(file(), 'an older one that all can read', { mode: 0o644 });
  const { out, err, code } = await link('--email', w.admin.email.toUpperCase());
  expect([JSON.parse(out), err, code]).toEqual([{ file: file(), expires_at: moment }, '', 0]);
  const written = await readFile(file(), 'utf8');
  expect(written).toMatch(/^https:\/\/127\.0\.0\.1:8443\/console\/welcome#[\w-]{22}\n$/);
  expect(await isPrivate()).toBe(true);
  expect(await redeem(written.trim())).toAnswer(201);
});

test('the command says where browsers reach the service, as it is told', async () => {
  await link('--email', w.admin.email, '--url', 'https://crm.example.com/');
  expect(await readFile(file(), 'utf8')).toMatch(/^https:\/\/crm\.example\.com\/console\/welcome#/);
  await linkIn({ PUBLIC_URL: 'https://sales.example.com' }, '--email', w.admin.email);
  expect(await readFile(file(), 'utf8')).toMatch(
    /^https:\/\/sales\.example\.com\/console\/welcome#/,
  );
});

test('the command makes no link that leads elsewhere, or is read on its way', async () => {
  const url = 'http://crm.example.com/crm?a#b';
  expect(await link('--email', w.admin.email, '--url', url)).toEqual({
    out: '',
    err: `error: option '--url <url>' argument '${url}' is invalid. It must be an https origin without anything behind it, such as https://crm.example.com (http for localhost alone).\n`,
    code: 1,
  });
});

test('the command knows nobody whom the service does not know', async () => {
  expect(await link('--email', 'nobody@example.com')).toEqual({
    out: '',
    err: 'There is no user nobody@example.com\n',
    code: 1,
  });
});

test('the first start makes one for the demo’s admin, which a terminal alone is shown', async () => {
  const config = readConfig({ DATA_DIR: dataDir });
  const empty = await startService();
  const database = await openDatabase({ url: empty.database.url });
  const begun = await demoOnFirstStart(config, database, keysOf([secret]));
  await database.close();
  if (!begun) throw new Error('there is no demo account');
  const shown = await welcome(begun, empty.url, config, true);
  const url = `${empty.url}/console/welcome#${begun.code.code}`;
  expect(shown).toContain(`\n  ${url}\n`);
  expect(shown).toContain(`'Authorization: Bearer ${begun.token}'`);
  const logged = await welcome(begun, empty.url, config, false);
  expect(logged).toBe(`
A demo account was created. A link with which ${begun.email} sets a password within 15 minutes, and a request with a
token, are in ${file()}, which only its owner can read.

`);
  const written = await readFile(file(), 'utf8');
  expect([shown, await isPrivate()]).toEqual([`\nA demo account was created. ${written}\n`, true]);

  // From there to a first answer: the link sets a password, and the curl works as it is printed.
  const person = new Person(empty.client);
  const password = { password: 'battery staple', password_confirmation: 'battery staple' };
  expect(await person.send('POST', '/session', { code: begun.code.code, ...password })).toAnswer(
    201,
    {
      account_id: 1,
      user_id: expect.any(Number),
      expires_at: moment,
    },
  );
  expect(await person.graphql('{ me(account_id: 1) { role user { email } } }')).toAnswer(200, {
    data: { me: { role: 'admin', user: { email: begun.email } } },
  });
  expect(
    await demoOnFirstStart(
      config,
      await openDatabase({ url: empty.database.url }),
      keysOf([secret]),
    ),
  ).toBeUndefined();
  await empty.close();
});
