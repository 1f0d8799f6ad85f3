import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { sharedService } from '../kit/service.ts';
import { documentation, runHere, shipped } from '../kit/shared.ts';
import { world } from '../kit/world.ts';

const { openapi } = await shipped<typeof import('../../src/rest/openapi/document.ts')>(
  'rest/openapi/document.js',
);
const { prefix } = await shipped<typeof import('../../src/rest/register.ts')>('rest/register.js');
const { aliases, exportRoutes, routes } =
  await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

const service = await sharedService();

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: { readonly $ref: string };
        readonly example?: object;
        readonly examples?: Readonly<Record<string, { readonly value: object }>>;
      };
    };
  };
  readonly responses: Readonly<Record<string, object>>;
}

interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: object;
}

interface Schema {
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Property>>;
}

interface RecordedCase {
  readonly n: number;
  readonly model: 'Contact' | 'Deal' | 'Product' | 'User';
  readonly query: unknown;
  readonly expect: { readonly status?: number };
}

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

const document: Document = JSON.parse(JSON.stringify(openapi()));

test('every route of the table is documented, and nothing else', () => {
  const table = [...routes.flatMap((row) => [row, ...aliases(row)]), ...exportRoutes].map(
    ({ method, path }) => `${method} ${(prefix + path).replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(table.sort());
});

/** All values of the document, each with the key or index that leads to it. */
function* parts(value: unknown): Generator<readonly [key: string, value: unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const entry of Object.entries(value)) {
    yield entry;
    yield* parts(entry[1]);
  }
}

test('no key is so long that a parser of YAML ends it', () => {
  const keys = [...parts(document)].map(([key]) => key);
  expect(keys).toContain('patternProperties');
  expect(keys.filter((key) => key.length > 1000)).toEqual([]);
});

test('the values of an enum are of one type, beside null', () => {
  const enums = [...parts(document)].flatMap(([key, value]) =>
    key === 'enum' && Array.isArray(value) ? [value] : [],
  );
  const mixed = enums.filter(
    (values) => new Set(values.filter((one) => one !== null).map((one) => typeof one)).size > 1,
  );
  expect(enums.length).toBeGreaterThan(20);
  expect(mixed).toEqual([]);
});

const ofType = ({ type }: Property, name: string): boolean => [type].flat().includes(name);

test('a pattern is beside the one type that it is of', () => {
  const patterns = [...parts(document)].flatMap(([, value]) => {
    const { pattern, type } = Object(value);
    return typeof pattern === 'string' ? [type] : [];
  });
  expect(patterns.length).toBeGreaterThan(20);
  expect(new Set(patterns)).toEqual(new Set(['string']));
  const { page } = document.components.schemas.ContactsSearch?.properties ?? {};
  expect(page).toEqual({
    anyOf: [{ type: ['integer', 'null'] }, { type: 'string', pattern: '^(0|-?[1-9][0-9]*)$' }],
    description: 'Which page, from 1; 1 when left out.',
  });
  const { contact_id } = document.components.schemas.NewDeal?.properties ?? {};
  expect(contact_id).toMatchObject({ anyOf: [{ type: 'integer' }, { type: 'string' }] });
});

test('what is sent is documented with how long it may be', () => {
  const inputs = Object.entries(document.components.schemas).filter(([name]) =>
    /Input$|^New/.test(name),
  );
  const unlimited = inputs.flatMap(([name, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, each]) => ofType(each, 'string'))
      .filter(([, each]) => !('maxLength' in each || 'enum' in each || 'format' in each))
      .map(([field]) => `${name}.${field}`),
  );
  expect(unlimited).toEqual([
    'NewToken.expires_in',
    'NewUser.password_confirmation',
    'UserUpdateInput.password_confirmation',
  ]);
  const { full_name, label_list } = document.components.schemas.ContactInput?.properties ?? {};
  expect([full_name?.maxLength, label_list?.maxItems, label_list?.items]).toEqual([
    255,
    1000,
    { type: 'string', maxLength: 255 },
  ]);
  const description = document.components.schemas.ProductInput?.properties?.description;
  expect(description?.maxLength).toBe(65_535);
});

test('no list is of anything', () => {
  const lists = [...parts(document.components)].flatMap(([key, value]) =>
    key === 'items' ? [value] : [],
  );
  expect(lists.length).toBeGreaterThan(20);
  expect(lists).not.toContainEqual({});
});

test('every parameter has an example', () => {
  const parameters = Object.values(document.paths).flatMap((path) =>
    Object.values(path).flatMap((operation) => operation.parameters ?? []),
  );
  expect(parameters.length).toBeGreaterThan(100);
  expect(parameters.filter((parameter) => parameter.example === undefined)).toEqual([]);
});

describe('the statuses of an operation', () => {
  const statuses = (method: string, path: string) =>
    Object.keys(document.paths[`/api/v1/accounts/{account_id}${path}`]?.[method]?.responses ?? {});
  const everywhere = [
    ...['400', '401', '403', '404', '405', '408', '417', '429', '431'],
    ...['500', '503'],
  ];
  /** What may come of a key. */
  const retried = ['409', '410', '422'];

  test('of one that reads', () => {
    expect(statuses('get', '/contacts/{id}').sort()).toEqual(
      ['200', '304', '422', ...everywhere].sort(),
    );
  });

  test('of one that creates', () => {
    const own = ['201', '413', '415', ...retried];
    expect(statuses('post', '/contacts').sort()).toEqual([...own, ...everywhere].sort());
  });

  test('of one that updates or creates', () => {
    const own = ['200', '201', '413', '415', ...retried];
    expect(statuses('post', '/deals/upsert').sort()).toEqual([...own, ...everywhere].sort());
  });

  test('of one that removes', () => {
    const own = ['204', '412', '413', ...retried];
    expect(statuses('delete', '/contacts/{id}').sort()).toEqual([...own, ...everywhere].sort());
  });

  test('of a search', () => {
    const own = ['200', '410', '413', '415', '422'];
    expect(statuses('post', '/deals/search').sort()).toEqual([...own, ...everywhere].sort());
    const read = ['200', '410', '422', ...everywhere];
    expect(statuses('get', '/deals/search').sort()).toEqual(read.sort());
  });
});

test('an operation names the scope that it takes, and how its lack is refused', () => {
  const { get: me } = document.paths['/api/v1/accounts/{account_id}/me'] ?? {};
  const { post: search, get: alias } =
    document.paths['/api/v1/accounts/{account_id}/stages/search'] ?? {};
  const { post: stage } = document.paths['/api/v1/accounts/{account_id}/stages'] ?? {};
  const refusal = (name: string) => ({ $ref: `#/components/responses/${name}` });
  expect([me, search, alias, stage].map((one) => [one?.security, one?.responses[403]])).toEqual([
    [[{ bearer: [] }], refusal('Forbidden')],
    [[{ bearer: ['pipelines:read'] }], refusal('ScopeLacking')],
    [[{ bearer: ['pipelines:read'] }], refusal('ScopeLacking')],
    [[{ bearer: ['pipelines:write'] }], refusal('AdminsOnly')],
  ]);
});

test('a token as it is made has the fields of a token beside itself', () => {
  const { IssuedToken, Token } = document.components.schemas;
  expect(IssuedToken?.required).toEqual([...(Token?.required ?? []), 'access_token']);
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

test('a text of few values is documented with them, where it is sent and where it is answered', () => {
  const { schemas } = document.components;
  const values = (schema: string, field: string) => schemas[schema]?.properties?.[field]?.enum;
  expect(values('Deal', 'status')).toEqual(['open', 'won', 'lost']);
  expect(values('DealInput', 'status')).toEqual(['open', 'won', 'lost', null]);
  expect(values('NewUser', 'language')).toEqual(['en', 'pt-BR', 'es', 'de', null]);
  expect(values('UserUpdateInput', 'role')).toEqual(['member', 'admin', null]);
  expect(values('NewEvent', 'kind')).toEqual(['note', 'activity']);
  // The service writes more kinds than clients may.
  expect(values('Event', 'kind')).toBeUndefined();
});

test('a body may hold what forms and scripts send, and an example is one', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'crm');
  const takes = (name: string, body: object) =>
    ajv.validate({ $ref: `crm#/components/schemas/${name}` }, body);
  for (const done of [true, 'true', 1, '1', false, 'false', 0, '0', '', null]) {
    expect([done, takes('EventInput', { done })]).toEqual([done, true]);
  }
  for (const amount_in_cents of [5, '5', '-5', '', null]) {
    expect(takes('ProductInput', { amount_in_cents })).toBe(true);
  }
  expect(takes('ContactInput', { label_list: 'a, b' })).toBe(true);
  expect(takes('ProductInput', { amount_in_cents: '5 EUR' })).toBe(false);
  expect(takes('EventInput', { done: 'yes' })).toBe(false);
  const bodies = Object.values(document.paths).flatMap((item) =>
    Object.values(item).flatMap(({ requestBody }) => {
      const { schema, example, examples } = requestBody?.content['application/json'] ?? {};
      const values = example ? [example] : Object.values(examples ?? {}).map(({ value }) => value);
      return values.map((value) => [schema?.$ref.split('/').at(-1) ?? '', value] as const);
    }),
  );
  expect(bodies.length).toBeGreaterThan(30);
  expect(bodies.filter(([name, body]) => !takes(name, body))).toEqual([]);
});

test('a change requires nothing', () => {
  const { DealInput, EventInput, UserUpdateInput } = document.components.schemas;
  for (const schema of [DealInput, EventInput, UserUpdateInput]) {
    expect([schema?.type, schema?.required]).toEqual(['object', undefined]);
  }
});

describe('the schema of a query', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true });
  ajv.addSchema(document, 'crm');
  const faultsOf = (operation: string, query: unknown) => {
    const validate = ajv.getSchema(`crm#/components/schemas/${operation}Query`);
    validate?.(query);
    return validate?.errors ?? [];
  };

  const models = { Contact: 'Contacts', Deal: 'Deals', Product: 'Products', User: 'Users' };
  const cases: readonly RecordedCase[] = readFileSync(
    new URL('../golden/search/cases.jsonl', import.meta.url),
    'utf8',
  )
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

  // Blanks that drop their condition, numbers between blanks and other words for true and false.
  const isOdd = (value: unknown) =>
    /^(\[\]|\{\}|\[""\]|" *"|"\s*\d+\s*"|"(t|f|true|false)\s*")$/i.test(
      JSON.stringify(value).replaceAll('\\n', '\n'),
    );

  test('takes every recorded query that was answered, but oddly written values', () => {
    const answered = cases.filter(({ expect: { status }, query }) => !status && isObject(query));
    expect(answered.length).toBeGreaterThan(400);
    const refused = answered.flatMap(({ n, model, query }) => {
      const faults = faultsOf(models[model], query).filter(({ data }) => !isOdd(data));
      return faults.map(({ instancePath, message }) => [n, query, instancePath, message]);
    });
    expect(refused).toEqual([]);
  });

  test.each([
    ['Contacts', { fullname_cont: 'ana' }],
    ['Contacts', { full_name: 'ana' }],
    ['Contacts', { full_name_contains: 'ana' }],
    ['Contacts', { full_name_or_mail_cont: 'ana' }],
    ['Contacts', { deal_name_cont: 'ana' }],
    ['Deals', { id_eq: 'abc' }],
    ['Deals', { status_in: { status: 'open' } }],
    ['Deals', { g: [{ stat_eq: 'open' }] }],
    ['Deals', { m: 'xor' }],
    ['Products', { description_null: 'maybe' }],
  ])('of %s refuses %j', (operation, query) => {
    expect(faultsOf(operation, query)).not.toEqual([]);
  });
});

describe('an answer that is not as documented is found', () => {
  const path = '/api/v1/accounts/1/deals';
  const error = {
    error: 'Unauthorized',
    code: 'unauthorized',
    errors: ['Unauthorized'],
    request_id: 'x',
  };

  test('by its status, its fields, its path and its method', () => {
    documentation.conforms({ method: 'POST', path, status: 401, body: error });
    const told = (method: string, at: string, status: number, body: unknown) => () =>
      documentation.conforms({ method, path: at, status, body });
    expect(told('POST', path, 418, error)).toThrow('status is not documented');
    expect(told('POST', path, 401, { ...error, stack: '' })).toThrow('additional properties');
    expect(told('POST', path, 401, { error: '' })).toThrow("'request_id'");
    expect(told('GET', `${path}/1/more`, 401, error)).toThrow('no such operation');
    expect(told('DELETE', path, 401, error)).toThrow('no such operation');
    expect(told('DELETE', '/api/v1/accounts/1/contacts/1', 204, {})).toThrow('no body');
  });
});

describe('the service keeps to it', () => {
  test('what a new record must have is what the service misses in an empty one', async () => {
    const w = await world(service);
    const place = { contact_id: (await w.contact()).id, deal_id: (await w.deal()).id };
    const missed: Record<string, readonly string[]> = {};
    for (const { method, path, body: carried, answer } of routes) {
      if (method !== 'POST' || (answer({}).status !== 201 && carried !== 'batch')) continue;
      const at = path.replace(/:(\w+)/, (_, name: keyof typeof place) => String(place[name]));
      const { status, body } = await w.rest.post<{ fields?: object }>(at, {});
      if (status === 422) missed[path] = Object.keys(body.fields ?? {}).sort();
    }
    const documented = Object.entries(document.paths).flatMap(([path, { post }]) => {
      const schema = post?.requestBody?.content['application/json'].schema.$ref.split('/').at(-1);
      const required = document.components.schemas[schema ?? '']?.required;
      const at = path.slice('/api/v1/accounts/{account_id}'.length).replaceAll(/\{(\w+)\}/g, ':$1');
      return required ? [[at, [...required].sort()]] : [];
    });
    expect(Object.keys(missed).length).toBeGreaterThan(6);
    expect(Object.fromEntries(documented)).toEqual(missed);
  });

  test('what is as long as the document allows is taken, and a character more is refused', async () => {
    const w = await world(service);
    const { full_name } = document.components.schemas.ContactInput?.properties ?? {};
    const sent = (more: number) => ({ full_name: 'x'.repeat((full_name?.maxLength ?? 0) + more) });
    expect((await w.rest.post('/contacts', sent(0))).status).toBe(201);
    expect((await w.rest.post('/contacts', sent(1))).status).toBe(422);
  });

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
    const { out, code } = await runHere(['openapi']);
    expect([code, JSON.parse(out)]).toEqual([0, document]);
  });
});
