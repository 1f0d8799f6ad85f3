/** Types made from both contracts, as their users make them, and programs compiled against them. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as schemaTypes from '@graphql-codegen/typescript';
import * as operationTypes from '@graphql-codegen/typescript-operations';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { sdl } from '../../src/graphql/schema.ts';
import { openapi } from '../../src/rest/openapi/document.ts';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const { resolve } = createRequire(import.meta.url);

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'typed client '));
  await symlink(modules, join(directory, 'node_modules'));
  await write('package.json', '{ "type": "module" }');
});

afterAll(() => rm(directory, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(directory, name), text);

/** What the compiler says of a program; nothing when all is well. */
async function compile(program: string): Promise<string> {
  const settings = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2023',
    '--module',
    'nodenext',
  ];
  const args = [resolve('typescript/bin/tsc'), ...settings, '--pretty', 'false', program];
  const { stdout } = await run(process.execPath, args, { cwd: directory }).catch(
    (failed: { stdout: string }) => failed,
  );
  return stdout;
}

test('openapi.json gives a REST client its types', async () => {
  await write('openapi.json', JSON.stringify(openapi()));
  const generator = join(dirname(resolve('openapi-typescript/package.json')), 'bin/cli.js');
  await run(process.execPath, [generator, 'openapi.json', '--output', 'crm.ts'], {
    cwd: directory,
  });
  await write(
    'rest.ts',
    `import createClient from 'openapi-fetch';
     import type { components, paths } from './crm.js';

     const crm = createClient<paths>({
       baseUrl: 'https://crm.example.com',
       headers: { authorization: 'Bearer token' },
     });
     const place = { account_id: 1 };

     const { data, error } = await crm.POST('/api/v1/accounts/{account_id}/contacts/search', {
       params: { path: place },
       body: { query: { full_name_cont: 'ana', g: [{ m: 'or' }], s: 'id desc' }, per_page: 50 },
     });
     const names: string[] = data?.data.map((contact) => contact.full_name) ?? [];
     const next: number | null | undefined = data?.pagination.next;
     const reasons: readonly string[] = error?.errors ?? [];

     const deal = await crm.GET('/api/v1/accounts/{account_id}/deals/{id}', {
       params: { path: { ...place, id: 1 } },
     });
     const stage: components['schemas']['Stage'] | undefined = deal.data?.stage;

     await crm.PUT('/api/v1/accounts/{account_id}/deals/{id}', {
       params: { path: { ...place, id: 1 } },
       // @ts-expect-error a name is a text
       body: { name: 1 },
     });
     // @ts-expect-error no such field is answered
     export const unknown = deal.data?.password;
     export { names, next, reasons, stage };`,
  );
  expect(await compile('rest.ts')).toBe('');
}, 60_000);

test('schema.graphql gives a GraphQL client its types', async () => {
  const document = parse(`
    query open_deals($account_id: Integer!, $query: SearchQuery) {
      deals(account_id: $account_id, query: $query) {
        data { id name lost_at contact { full_name } }
        pagination { count }
      }
    }
  `);
  const types = await codegen({
    filename: 'crm_graphql.ts',
    schema: parse(sdl),
    documents: [{ document }],
    config: {
      scalars: { Integer: 'number', DateTime: 'string', SearchQuery: 'Record<string, unknown>' },
      defaultScalarType: 'unknown',
      useTypeImports: true,
    },
    plugins: [{ schema: {} }, { operations: {} }],
    pluginMap: { schema: schemaTypes, operations: operationTypes },
  });
  await write('crm_graphql.ts', types);
  await write(
    'graphql.ts',
    `import type { Open_DealsQuery, Open_DealsQueryVariables } from './crm_graphql.js';

     const variables: Open_DealsQueryVariables = { account_id: 1, query: { status_eq: 'open' } };

     export async function ask(): Promise<Open_DealsQuery> {
       const response = await fetch('https://crm.example.com/graphql', {
         method: 'POST',
         headers: { 'content-type': 'application/json', authorization: 'Bearer token' },
         body: JSON.stringify({ query: '…', variables }),
       });
       const { data }: { data: Open_DealsQuery } = await response.json();
       return data;
     }

     const { deals } = await ask();
     const names: string[] = deals.data.map((deal) => deal.contact.full_name);
     const lost: (string | null | undefined)[] = deals.data.map((deal) => deal.lost_at);
     // @ts-expect-error it was not selected
     export const unknown = deals.data[0]?.status;
     export { lost, names };`,
  );
  expect(await compile('graphql.ts')).toBe('');
}, 60_000);
