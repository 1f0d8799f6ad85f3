/**
 * A field that is added to contacts as `src/README.md` says, in a copy of the sources that was never built: its migration
 * is written and it compiles; agents describe, write and find it without a change in `src/mcp/`.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Client } from '../kit/http.ts';
import { Mcp } from '../kit/mcp.ts';
import { type Demo, demo, killProcesses, startProcess } from '../kit/process.ts';

// The sources are built and a process started, on machines that may be busy.
jest.setTimeout(600_000);

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The steps of `src/README.md`: the file, what stands there, and what is put before it. */
const steps: readonly (readonly [file: string, before: RegExp, added: string])[] = [
  [
    'prisma/schema.prisma',
    /(?<=^model Contact \{\n)/m,
    '  job_title String @default("") @db.VarChar(255)\n',
  ],
  ['schema.graphql', /(?<=^type Contact \{\n)/m, '  job_title: String!\n'],
  ['schema.graphql', /(?<=^input ContactInput \{\n)/m, '  job_title: Text\n'],
  ['src/resources/contacts/record.ts', /(?<=^ {2}fields: \{\n)/m, '    job_title: text(),\n'],
  ['src/resources/contacts/record.ts', /(?<=^ {2}searchable: \[\n)/m, "    'job_title',\n"],
  ['src/rest/fragments.graphql', /(?<=^fragment contact_fields on Contact \{\n)/m, '  job_title\n'],
  ['src/resources/contacts/merge.ts', /(?<=const first = \(field: )/, "'job_title' | "],
  [
    'src/resources/contacts/merge.ts',
    /(?<=^ {2}return \{\n)(?= {4}full_name:)/m,
    "    job_title: first('job_title'),\n",
  ],
];

let directory: string;
const run = (program: string, ...words: readonly string[]) =>
  promisify(execFile)(program, words, { cwd: directory });
let shop: Demo;
let client: Client;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm field '));
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'schema.graphql']) {
    await cp(join(root, name), join(directory, name));
  }
  for (const name of ['prisma', 'src']) {
    await cp(join(root, name), join(directory, name), {
      recursive: true,
      filter: (path) => basename(path) !== 'generated',
    });
  }
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  for (const [file, before, added] of steps) {
    const path = join(directory, file);
    const text = await readFile(path, 'utf8');
    expect([file, text.search(before) > 0]).toEqual([file, true]);
    await writeFile(path, text.replace(before, added));
  }
  await run('npm', 'run', 'migration', '--', 'add_contact_job_title');
  await run(process.execPath, 'src/build/build.mjs');
  shop = await demo();
  client = new Client((await startProcess(shop, {}, { version: directory })).url);
});
afterAll(async () => {
  client.close();
  killProcesses();
  await shop.database.close();
  await rm(directory, { recursive: true });
});

test('its migration adds a column that old rows have, too', async () => {
  const migrations = join(directory, 'prisma/migrations');
  const added = (await readdir(migrations)).filter((name) => name.endsWith('_job_title'));
  expect(added).toHaveLength(1);
  expect(await readFile(join(migrations, `${added}`, 'migration.sql'), 'utf8')).toBe(
    `-- AlterTable\nALTER TABLE "contacts" ADD COLUMN     "job_title" VARCHAR(255) NOT NULL DEFAULT '';\n`,
  );
});

test('it compiles', () => run(process.execPath, 'node_modules/typescript/bin/tsc', '--noEmit'));

test('agents describe, write, read and find it', async () => {
  const agent = new Mcp(client, shop.token);
  const about = await agent.use('describe', { resource: 'contacts' });
  expect(about.fields).toMatchObject({ job_title: 'text ≤255' });
  expect(about.shown).toContain('job_title');
  expect(about.search.attributes.text).toContain('job_title');
  const all = await agent.use('describe');
  expect(all.resources.contacts.split(' ')).toContain('job_title');
  const record = { full_name: 'Ana', job_title: 'Head of Sales' };
  const { results } = await agent.use('write', {
    resource: 'contacts',
    operation: 'create',
    records: [record, { job_title: 'x'.repeat(256) }],
  });
  expect(results).toMatchObject([
    { status: 201 },
    { status: 422, codes: { job_title: ['too_long'] } },
  ]);
  const { id } = results[0];
  const query = { job_title_cont: 'head of' };
  expect(await agent.use('search', { resource: 'contacts', query })).toMatchObject({
    count: 1,
    data: [{ id, ...record }],
  });
  expect(await agent.use('get', { resource: 'contacts', ids: [id] })).toMatchObject({
    data: [{ id, ...record }],
  });
  const by = { of: 'CONTACTS', by: ['job_title'], query };
  expect(await agent.use('summarize', { of: 'summary', with: by })).toMatchObject({
    data: [{ keys: [{ value: 'Head of Sales' }], count: 1 }],
  });
  const { trail } = await agent.use('history', { resource: 'contacts', id });
  expect(trail).toMatchObject([{ action: 'contact.create', after: record }]);
});
