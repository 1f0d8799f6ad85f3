/** The commands of the guides, each in a process of its own, in their order. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { main } from '../kit/command.ts';
import { createDatabase, createEmptyDatabase } from '../kit/database.ts';
import { given } from '../kit/environment.ts';
import { blocksOf } from '../kit/guides.ts';
import { startCollector } from '../kit/otlp.ts';
import {
  call,
  type Demo,
  demo,
  killProcesses,
  refusesConnections,
  type ServiceProcess,
  startByShell,
} from '../kit/process.ts';
import { type Service, secret, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';

// Dozens of processes, on machines that may be busy.
jest.setTimeout(120_000);

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
let directory: string;
let d: Demo;
let service: Service;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guides-'));
  await mkdir(join(directory, 'crm'));
  // The ids of a first start.
  d = await demo(1);
  service = await startService({ database: d.database });
});

afterAll(async () => {
  killProcesses();
  await service.close();
  await d.database.close();
  await rm(directory, { recursive: true });
});

/** Runs commands in a shell, which ends with the first that fails. */
async function shell(script: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const npm = `npm() { shift 4; node '${main}' "$@"; }\n`;
  const { stdout } = await run('sh', ['-ec', npm + script], {
    cwd: join(directory, 'crm'),
    env: {
      ...process.env,
      TOKEN: d.token,
      OLD_TOKEN: d.token,
      DATABASE_URL: d.database.url,
      JWT_SECRET: secret,
      DATA_DIR: join(directory, 'data'),
      NODE_EXTRA_CA_CERTS: given('CRM_TEST_CERT'),
      ...env,
    },
  });
  return stdout;
}

const commandsOf = (guide: string): string => blocksOf(`src/docs/${guide}`, 'sh').join('\n');
const file = (name: string, content: string) => writeFile(join(directory, 'crm', name), content);

test('the commands of the command line work in their order', async () => {
  await file('password.txt', 'correct horse battery staple\n');
  const [commands = ''] = blocksOf('src/docs/reference/cli.md', 'sh');
  expect(await shell(commands)).toContain('"Acme"');
});

test('the commands of tokens, links and erasures work', async () => {
  const [create = '', , revoke = ''] = blocksOf('src/docs/api/tokens.md', 'sh');
  await shell(create);
  const [last] = await d.database.query<{ id: number }>('SELECT max(id) AS id FROM api_tokens');
  await shell(revoke.replace('--id 3', `--id ${last?.id}`));
  await shell(commandsOf('api/sessions.md'));
  await shell(commandsOf('how-to/erase-a-person.md').replace('--id 17', '--id 5'));
});

test('the exports and imports of CSV work', async () => {
  const [exported = ''] = blocksOf('src/docs/how-to/export.md', 'sh');
  await shell(exported.replace(/curl .*?\n {2}.*\n/s, ''));
  await file('people.csv', 'full_name,email,Ort,Notiz\nIda Berg,ida@example.com,Berlin,x\n');
  await file('deals.csv', 'name,contact.email\nBerg: pilot,ida@example.com\n');
  await file(
    'orders.csv',
    'deal;stage;email;sku;Valor\nBerg: more;Lead;ida@example.com;CRM-PRO;9,90\n',
  );
  const commands = commandsOf('how-to/import-csv.md')
    .replaceAll('--account 2', '--account 1')
    .replace('ada@acme.example', 'admin@example.com')
    .replace('https://crm.example.com', service.url)
    .replace('stage.name=New', 'stage.name=Lead');
  const [, , deals, orders] = (await shell(commands)).trimEnd().split('\n');
  const imported = '"dry_run":false,"created":1';
  expect([deals, orders]).toEqual([
    expect.stringContaining(imported),
    expect.stringContaining(imported),
  ]);
});

test('an account of Woofed is imported from its API and from files', async () => {
  const { id } = JSON.parse(await shell('npm run --silent crm -- account create --name Other'));
  await shell(
    `echo "correct horse battery" | npm run --silent crm -- user create --account ${id} --email eve@acme.example --role admin --password-stdin`,
  );
  await mkdir(join(directory, 'crm', 'answers'));
  await file('answers/contacts-1.json', '{"data": [{"id": 900, "full_name": "From a file"}]}');
  const commands = commandsOf('how-to/import-woofed.md')
    .replaceAll('--account 2', `--account ${id}`)
    .replaceAll('ada@', 'eve@')
    .replaceAll('https://crm.example.com/api/v1/accounts/7', `${service.url}/api/v1/accounts/1`);
  expect(await shell(commands)).toContain('contacts');
});

test('the commands of upgrades and of a changed secret work', async () => {
  await shell(commandsOf('how-to/upgrade.md'));
  const database = await createDatabase();
  const env = { DATABASE_URL: database.url, JWT_SECRET: secret };
  const rotated = await shell(
    commandsOf('how-to/rotate-secret.md').replace(/npm run [^\n]*activate\n/, ''),
    env,
  );
  expect(rotated).toContain('fingerprint');
  await database.close();
});

test('a backup is restored elsewhere', async () => {
  const [backup = '', restore = ''] = blocksOf('src/docs/how-to/backup-restore.md', 'sh');
  const empty = await createEmptyDatabase();
  await shell(backup);
  await shell(restore.replace('DATA_DIR=../restored', `DATABASE_URL=${empty.url}`));
  await empty.close();
});

test("a backup is moved to a PostgreSQL of one's own, with its secret", async () => {
  const [, , , move = ''] = blocksOf('src/docs/how-to/backup-restore.md', 'sh');
  const empty = await createEmptyDatabase();
  const commands = move
    .replace('postgresql://crm@db.example.com/crm', empty.url)
    .replace(' && npm start', '');
  const embedded = `export DATABASE_URL= JWT_SECRET= DATA_DIR=../embedded
    npm run --silent crm -- migrate
    npm run --silent crm -- account create --name Moved`;
  const checked = await shell(`${embedded}\n${commands}\nnpm run --silent crm -- account list`);
  expect(checked.trimEnd().split('\n').at(-1)).toContain('"name":"Moved"');
  await empty.close();
});

test('the packed program serves, and exports from a service', async () => {
  const crm = join(directory, 'crm');
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', crm], { cwd: root });
  const [, commands = ''] = blocksOf('src/docs/reference/cli.md', 'sh');
  const [serve = '', exportContacts = ''] = commands.trimEnd().split('\n');
  const npx = { npm_config_yes: 'true', npm_config_prefer_offline: 'true' };
  const packed = await startByShell(`cd '${crm}'\n${serve}`, { ...environment(), ...npx });
  expect(await call(packed, d, 'POST', '/contacts/search')).toBe(200);
  await end(packed);
  await shell(
    exportContacts.replace('https://crm.example.com', service.url).replace('<token>', '"$TOKEN"'),
    npx,
  );
  const [first = ''] = (await readFile(join(crm, 'contacts.ndjson'), 'utf8')).split('\n');
  expect(JSON.parse(first)).toMatchObject({ id: 1, account_id: 1 });
});

test('an embedded database is moved into a newer one', async () => {
  const [, , move = ''] = blocksOf('src/docs/how-to/backup-restore.md', 'sh');
  const [start = ''] = /^.*npm start\n?/m.exec(move) ?? [];
  expect(start).toContain('DATA_DIR=../crm-data');
  const commands = move.replace(start, '').replace('DATA_DIR=', 'DATABASE_URL= DATA_DIR=');
  const checked = await shell(
    `${commands}\nDATABASE_URL= DATA_DIR=../crm-data npm run --silent crm -- doctor`,
  );
  expect(checked).toContain('"text_search":"indexed"');
});

const environment = () => ({
  PORT: '0',
  DATA_DIR: join(directory, 'data'),
  DATABASE_URL: d.database.url,
  JWT_SECRET: secret,
  TLS_CERT_FILE: given('CRM_TEST_CERT'),
  TLS_KEY_FILE: given('CRM_TEST_KEY'),
  WORKERS: '1',
});

async function end(service: ServiceProcess): Promise<void> {
  process.kill(-service.pid, 'SIGTERM');
  await service.exit;
  expect(await refusesConnections(service)).toBe(true);
}

test('the service is built and started without npm', async () => {
  const [commands = ''] = blocksOf('src/docs/how-to/operate.md', 'sh');
  const service = await startByShell(commands, environment());
  expect(await call(service, d, 'POST', '/contacts/search')).toBe(200);
  await end(service);
});

test('a service that is started with the address of a collector sends it spans', async () => {
  const collector = await startCollector();
  const [command = ''] = blocksOf('src/docs/how-to/trace.md', 'sh');
  const service = await startByShell(
    command.replace('http://127.0.0.1:4318', collector.url),
    environment(),
  );
  expect(await call(service, d, 'POST', '/contacts/search')).toBe(200);
  const names = async () => collector.spans().map(({ name }) => name);
  const name = 'POST /api/v1/accounts/:account_id/contacts/search';
  expect(await until(names, (all) => all.includes(name), 5000)).toContain(name);
  await end(service);
  await collector.close();
});
