/**
 * Clients made from both contracts by the commands of the guide, with what it installs, but for the
 * network: the packages are those of the lock file.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { blocksOf } from '../kit/guides.ts';
import { type Demo, demo } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';

const run = promisify(execFile);
/** What makes a client of both interfaces. */
const guide = 'src/docs/how-to/typescript-client.md';
const installed = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** A service with a certificate of its own, beside a project of somebody who uses it. */
let directory: string;
let d: Demo;
let service: Service;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'typed client '));
  d = await demo(1);
  const dataDir = join(directory, 'sales-crm', 'data');
  const env = { DATA_DIR: dataDir, TLS_CERT_FILE: '', TLS_KEY_FILE: '' };
  service = await startService({ database: d.database, env });
  await mkdir(join(directory, 'sales-crm'), { recursive: true });
});

afterAll(async () => {
  await service.close();
  await d.database.close();
  await rm(directory, { recursive: true });
});

/** Runs commands of a guide in a folder, against this test's service. */
async function shell(folder: string, script: string): Promise<string> {
  const { stdout } = await run(
    'sh',
    ['-ec', script.replaceAll('https://127.0.0.1:8443', service.url)],
    {
      cwd: join(directory, folder),
      env: {
        ...process.env,
        CRM_URL: service.url,
        TOKEN: d.token,
        NODE_EXTRA_CA_CERTS: join(directory, 'sales-crm', 'data', 'tls.crt'),
        npm_config_offline: 'true',
        npm_config_update_notifier: 'false',
      },
    },
  );
  return stdout;
}

/** What `npm install` would have put into a project, of what is installed here. */
async function install(project: string, names: readonly string[]): Promise<void> {
  const modules = join(project, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  // Generators load the compiler that they find beside themselves, which is not the service's.
  const own = new Map([
    [
      'openapi-typescript',
      () =>
        cp(join(installed, 'openapi-typescript'), join(modules, 'openapi-typescript'), {
          recursive: true,
        }),
    ],
    ['typescript', () => symlink(join(installed, 'typescript-5'), join(modules, 'typescript'))],
    ['.bin', async () => undefined],
  ]);
  for (const name of await readdir(installed)) {
    await (own.get(name)?.() ?? symlink(join(installed, name), join(modules, name)));
  }
  for (const name of names) {
    const { bin } = JSON.parse(await readFile(join(modules, name, 'package.json'), 'utf8'));
    for (const [command, file] of Object.entries(
      typeof bin === 'string' ? { [name]: bin } : (bin ?? {}),
    )) {
      await symlink(join(modules, name, String(file)), join(modules, '.bin', command));
    }
  }
}

const lines = (text: string) => text.split('\n');
const installs = (line: string) => line.startsWith('npm install ');

test('the commands of the guide make both clients, and their program compiles and runs', async () => {
  const [prepare = '', check = ''] = blocksOf(guide, 'sh');
  const [program = ''] = blocksOf(guide, 'ts');
  const commands = lines(prepare);
  const before = commands.slice(0, commands.findIndex(installs));
  const after = commands.slice(commands.findLastIndex(installs) + 1);
  await shell('sales-crm', before.join('\n'));
  const packages = commands
    .filter(installs)
    .flatMap((line) => line.split(' ').slice(2))
    .filter((word) => !word.startsWith('--'));
  const project = join(directory, 'crm-client');
  await install(
    project,
    packages.map((name) => name.replace(/(?<=.)@\d+$/, '')),
  );
  await shell('crm-client', after.join('\n'));

  await writeFile(join(project, 'main.ts'), program);
  await writeFile(join(project, 'mistakes.ts'), mistakes);
  const [compile = '', start = ''] = lines(check);
  expect(await shell('crm-client', `${compile} mistakes.ts\n${start}`)).toBe(
    [
      'Maria Silva maria.silva@example.com',
      'Silva & Filhos: first year Maria Silva',
      'Carter Logistics: pilot John Carter',
      'Dupont et Cie Émilie Dupont',
      '',
    ].join('\n'),
  );
  expect(await shell('crm-client', 'npx tsc --version')).toMatch(/^Version 5\./);
}, 60_000);

/** Each line behind an expected error compiles but for that. */
const mistakes = `
  import createRestClient from 'openapi-fetch';
  import { createClient } from './graphql';
  import type { components, paths } from './rest';

  const rest = createRestClient<paths>({ baseUrl: '' });
  const path = { account_id: 1 };
  const deal = await rest.GET('/api/v1/accounts/{account_id}/deals/{id}', {
    params: { path: { ...path, id: 1 } },
  });
  export const stage: components['schemas']['Stage'] | undefined = deal.data?.stage;
  export const status: 'open' | 'won' | 'lost' | undefined = deal.data?.status;
  // @ts-expect-error no such field is answered
  export const unknown = deal.data?.password;

  const found = await rest.POST('/api/v1/accounts/{account_id}/contacts/search', {
    params: { path },
    body: { query: { full_name_cont: 'ana', g: [{ m: 'or', deals_id_null: true }], s: 'id desc' } },
  });
  export const names: string[] = found.data?.data.map((contact) => contact.full_name) ?? [];
  export const next: number | null | undefined = found.data?.pagination.next;
  await rest.POST('/api/v1/accounts/{account_id}/contacts/search', {
    params: { path },
    // @ts-expect-error a page has one number
    body: { page: [3] },
  });
  await rest.POST('/api/v1/accounts/{account_id}/deals', {
    params: { path },
    // @ts-expect-error a deal has a contact
    body: { stage_id: 1 },
  });
  await rest.PUT('/api/v1/accounts/{account_id}/deals/{id}', {
    params: { path: { ...path, id: 1 } },
    // @ts-expect-error a deal is open, won or lost
    body: { status: 'closed' },
  });

  const graphql = createClient({ url: '' });
  const { deals } = await graphql.query({
    deals: { __args: { account_id: 1 }, data: { lost_at: true } },
  });
  export const lost: (string | null)[] = (deals?.data ?? []).map((one) => one.lost_at);
  // @ts-expect-error it was not selected
  export const unselected = deals?.data[0]?.status;
`;

test('the sync of the guide runs, twice as well as once', async () => {
  const [program = ''] = blocksOf('src/docs/how-to/nightly-sync.md', 'js');
  await writeFile(join(directory, 'sales-crm', 'sync.mjs'), program);
  const said = 'Ana Lima has no deal\nBo Berg has no deal\n';
  expect(await shell('sales-crm', 'node sync.mjs')).toBe(said);
  expect(await shell('sales-crm', 'node sync.mjs')).toBe(said);
}, 60_000);
