/** The client that the service serves, installed and used as its guide says. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { blocksOf } from '../kit/guides.ts';
import { type Demo, demo } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';

const run = promisify(execFile);
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
        npm_config_update_notifier: 'false',
        npm_config_audit: 'false',
      },
    },
  );
  return stdout;
}

test('the commands of the guide install the client, and its program compiles and runs', async () => {
  const [prepare = '', check = ''] = blocksOf(guide, 'sh');
  const [program = ''] = blocksOf(guide, 'ts');
  const commands = prepare.split('\n');
  // The compilers are those of the lock file.
  await shell('sales-crm', commands.filter((line) => !line.includes('--save-dev')).join('\n'));
  const project = join(directory, 'crm-client');
  await mkdir(join(project, 'node_modules', '@types'), { recursive: true });
  await symlink(join(installed, '@types/node'), join(project, 'node_modules/@types/node'));
  await symlink(join(installed, 'undici-types'), join(project, 'node_modules/undici-types'));
  await writeFile(join(project, 'main.ts'), program);
  await writeFile(join(project, 'mistakes.ts'), mistakes);
  const compile = check.split('\n').find((line) => line.startsWith('npx tsc ')) ?? '';
  for (const compiler of ['typescript', 'typescript-5']) {
    const tsc = `node '${join(installed, compiler, 'bin/tsc')}'`;
    expect(await shell('crm-client', `${compile.replace('npx tsc', tsc)} mistakes.ts`)).toBe('');
  }
  // Types are stripped as later versions of Node do by themselves.
  const tsx = `node --import '${join(installed, 'tsx/dist/esm/index.mjs')}' main.ts`;
  const said = [
    'Maria Silva maria.silva@example.com',
    "validation_failed { stage_id: [ 'not_found' ] }",
    '',
  ];
  expect(await shell('crm-client', tsx)).toBe(said.join('\n'));
  expect(await shell('crm-client', tsx)).toBe(said.join('\n'));
}, 120_000);

/** Each line behind an expected error compiles but for that. */
const mistakes = `
  import { createClient, verifyWebhook } from 'sales-crm-client';
  import type { Change, Stage } from 'sales-crm-client';

  const client = createClient({ url: '', token: '', account: 1 });
  const deal = await client.deals.get(1);
  export const stage: Stage = deal.stage;
  export const status: 'open' | 'won' | 'lost' = deal.status;
  // @ts-expect-error no such field is answered
  export const unknown = deal.password;
  const page = await client.contacts.search({ query: { full_name_cont: 'ana' } });
  export const names: string[] = page.data.map((contact) => contact.full_name);
  export const next: number | null = page.pagination.next;
  // @ts-expect-error a page has one number
  await client.contacts.search({ page: [3] });
  // @ts-expect-error a deal has a contact
  await client.deals.create({ stage_id: 1 });
  // @ts-expect-error a deal is open, won or lost
  await client.deals.update(1, { status: 'closed' });
  // @ts-expect-error deals are not merged
  await client.deals.merge(1, {});
  export const change: Change = await verifyWebhook('', new Headers(), 'whsec_x');
  for await (const one of client.changes({ after: 'now' })) {
    export_(one.action);
  }
  function export_(action: string): void { void action; }
`;

test('the sync of the guide runs, twice as well as once', async () => {
  const [program = ''] = blocksOf('src/docs/how-to/nightly-sync.md', 'js');
  await writeFile(join(directory, 'crm-client', 'sync.mjs'), program);
  const said = 'Ana Lima has no deal\nBo Berg has no deal\n';
  expect(await shell('crm-client', 'node sync.mjs')).toContain(said);
  expect(await shell('crm-client', 'node sync.mjs')).toContain(said);
}, 60_000);
