import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openapi } from '../../src/rest/openapi/document.ts';
import { prefix } from '../../src/rest/register.ts';
import { aliases, routes } from '../../src/rest/routes.ts';
import { conforms } from '../kit/conforms.ts';
import { type Service, startService } from '../kit/service.ts';

const run = promisify(execFile);

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly required: readonly string[] }>>;
  };
}

const document: Document = JSON.parse(JSON.stringify(openapi()));

test('every route of the table is documented, and nothing else', () => {
  const table = routes
    .flatMap((row) => [row, ...aliases(row)])
    .map(({ method, path }) => `${method} ${(prefix + path).replaceAll(/:(\w+)/g, '{$1}')}`);
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(table.sort());
});

describe('the statuses of an operation', () => {
  const statuses = (method: string, path: string) =>
    Object.keys(document.paths[`/api/v1/accounts/{account_id}${path}`]?.[method]?.responses ?? {});
  const everywhere = [
    ...['400', '401', '403', '404', '405', '408', '417', '429', '431'],
    ...['500', '503'],
  ];

  test('of one that reads', () => {
    expect(statuses('get', '/contacts/{id}').sort()).toEqual(['200', '422', ...everywhere].sort());
  });

  test('of one that creates', () => {
    const own = ['201', '413', '415', '422'];
    expect(statuses('post', '/contacts').sort()).toEqual([...own, ...everywhere].sort());
  });

  test('of one that updates or creates', () => {
    const own = ['200', '201', '413', '415', '422'];
    expect(statuses('post', '/deals/upsert').sort()).toEqual([...own, ...everywhere].sort());
  });

  test('of one that removes', () => {
    const own = ['204', '413', '422'];
    expect(statuses('delete', '/contacts/{id}').sort()).toEqual([...own, ...everywhere].sort());
  });

  test('of a search', () => {
    const own = ['200', '413', '415', '422'];
    expect(statuses('post', '/deals/search').sort()).toEqual([...own, ...everywhere].sort());
    expect(statuses('get', '/deals/search').sort()).toEqual(['200', '422', ...everywhere].sort());
  });
});

test('an answer has exactly the fields that the stored operation selects', () => {
  expect(document.components.schemas.Stage?.required).toEqual([
    'id',
    'name',
    'pipeline_id',
    'position',
    'account_id',
    'created_at',
    'updated_at',
  ]);
  const { Contact, ContactDetail } = document.components.schemas;
  expect(ContactDetail?.required).toEqual([...(Contact?.required ?? []), 'deals', 'events']);
});

describe('an answer that is not as documented is found', () => {
  const path = '/api/v1/accounts/1/deals';
  const error = { error: 'Unauthorized', errors: ['Unauthorized'], request_id: 'x' };

  test('by its status, its fields, its path and its method', () => {
    conforms({ method: 'POST', path, status: 401, body: error });
    const told = (method: string, at: string, status: number, body: unknown) => () =>
      conforms({ method, path: at, status, body });
    expect(told('POST', path, 418, error)).toThrow('status is not documented');
    expect(told('POST', path, 401, { ...error, stack: '' })).toThrow('additional properties');
    expect(told('POST', path, 401, { error: '' })).toThrow("'request_id'");
    expect(told('GET', `${path}/1/more`, 401, error)).toThrow('no such operation');
    expect(told('DELETE', path, 401, error)).toThrow('no such operation');
    expect(told('DELETE', '/api/v1/accounts/1/contacts/1', 204, {})).toThrow('no body');
  });
});

describe('outside this process', () => {
  let directory: string;
  let service: Service;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'openapi '));
    service = await startService();
  });

  afterAll(async () => {
    await service.close();
    await rm(directory, { recursive: true });
  });

  /** Problems that Redocly's recommended rules find, warnings among them. */
  async function lint(name: string, content: object): Promise<readonly string[]> {
    const file = join(directory, name);
    await writeFile(file, JSON.stringify(content));
    const home = dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json'));
    const args = [join(home, 'bin/cli.js'), 'lint', file, '--extends=recommended', '--format=json'];
    const env = {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    };
    const { stdout } = await run(process.execPath, args, { cwd: directory, env }).catch(
      (failed: { stdout: string }) => failed,
    );
    const { problems }: { problems: { ruleId: string; message: string }[] } = JSON.parse(stdout);
    return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
  }

  test('Redocly finds nothing to say of the document, and would say it', async () => {
    expect(await lint('openapi.json', openapi())).toEqual([]);
    const broken = await lint('broken.json', { ...openapi(), security: [{ unknown: [] }] });
    expect(broken).toContainEqual(expect.stringContaining('security-defined'));
  }, 60_000);

  test('GET /openapi.json needs no token', async () => {
    const { status, headers, body } = await service.client.send({
      method: 'GET',
      path: '/openapi.json',
    });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual(document);
  });

  test('crm openapi prints it', async () => {
    const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
    const { stdout } = await run(process.execPath, [main, 'openapi'], { maxBuffer: 1 << 26 });
    expect(JSON.parse(stdout)).toEqual(document);
  }, 60_000);
});
