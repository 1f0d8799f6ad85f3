/** Any value in any field: never a fault of ours, and nothing stored of what was refused. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { buildSchema, getNamedType, isInputObjectType } from 'graphql';
import { values } from '../kit/hostile_values.ts';
import { oneOfEach } from '../kit/one_of_each.ts';
import { sample } from '../kit/sample.ts';
import { sharedService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { unique, world } from '../kit/world.ts';
import { expectNoServerFault, expectRefused, expectUnharmed } from './hostile.ts';

const { routes } = await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');
const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

const service = await sharedService();
const w = await world(service);
const ids: Readonly<Record<string, number>> = await oneOfEach(w);

const tables = [
  'contacts',
  'deals',
  'products',
  'deal_products',
  'users',
  'events',
  'pipelines',
  'stages',
  'audit_entries',
];

async function counts(): Promise<number[]> {
  return Promise.all(tables.map((table) => w.count(table)));
}

/** The fields of every input in the REST interface, by the path that creates with it. */
const inputs: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  routes
    .filter(
      ({ method, path, body }) => method === 'POST' && body === 'input' && !path.includes(':'),
    )
    .map(({ path, operation }) => [path, fieldsOf(operation)]),
);

function fieldsOf(mutation: string): readonly string[] {
  const { args = [] } = schema.getMutationType()?.getFields()[mutation] ?? {};
  const input = getNamedType(args.find(({ name }) => name === 'input')?.type);
  if (!isInputObjectType(input)) throw new Error(`${mutation} takes an input`);
  return Object.keys(input.getFields());
}

describe.each(Object.entries(inputs))('POST %s', (path, fields) => {
  test.each(fields.map((field, at) => [field, at] as const))(
    'any value as %s is answered, and never by a fault of ours',
    async (field, at) => {
      const answers = await Promise.all(
        sample(values, 4, at).map((value) => w.rest.post(path, `{"${field}":${value}}`)),
      );
      for (const answer of answers) expectNoServerFault(answer);
    },
  );

  test('all fields at once of each wrong kind', async () => {
    for (const value of sample(values, 4)) {
      const body = `{${fields.map((field) => `"${field}":${value}`).join()}}`;
      expectNoServerFault(await w.rest.post(path, body));
    }
  });
});

describe.each([
  ['deals', '/deals'],
  ['products', '/products'],
  ['deal_products', '/deal_products'],
])('PUT of %s', (resource, path) => {
  test.each((inputs[path] ?? []).map((field, at) => [field, at] as const))(
    'any value as %s is answered, and never by a fault of ours',
    async (field, at) => {
      for (const value of sample(values, 4, at)) {
        const body = `{"${field}":${value}}`;
        expectNoServerFault(await w.rest.put(`${path}/${ids[resource]}`, body));
      }
    },
  );
});

describe('text that PostgreSQL cannot store', () => {
  const strings: [string, string][] = [
    ['/contacts', 'full_name'],
    ['/contacts', 'phone'],
    ['/contacts', 'email'],
    ['/contacts', 'label_list'],
    ['/products', 'name'],
    ['/products', 'identifier'],
    ['/products', 'description'],
    ['/products', 'custom_attributes'],
    ['/users', 'full_name'],
    ['/users', 'phone'],
    ['/users', 'password'],
    ['/users', 'job_description'],
    ['/users', 'avatar_url'],
    ['/deals', 'name'],
    ['/deals', 'lost_reason'],
    ['/deal_products', 'product_name'],
    ['/deal_products', 'product_identifier'],
  ];
  test.each(strings)(
    '%s %s with NUL or half a surrogate pair is a 422 that names the field',
    async (path, field) => {
      const before = await counts();
      const required: Record<string, string> = {
        '/deals': `"stage_id":${w.stageIds[0]},"contact_id":${ids.contacts},`,
        '/deal_products': `"deal_id":${ids.deals},"product_id":${ids.products},`,
        '/users': `"email":"${unique('nul')}","password":"abcdef","password_confirmation":"abcdef",`,
      };
      for (const text of [String.raw`a\u0000`, String.raw`\ud83d`, String.raw`x\udc00y`]) {
        const value = field === 'custom_attributes' ? `{"a":"${text}"}` : `"${text}"`;
        const answer = await w.rest.post(path, `{${required[path] ?? ''}"${field}":${value}}`);
        expect(answer).toAnswer(422);
        expect(Object.keys(Object(Reflect.get(Object(answer.body), 'fields')))).toContain(field);
      }
      expect(await counts()).toEqual(before);
    },
  );
});

describe('numbers', () => {
  test.each([
    '9007199254740992',
    '9007199254740993',
    '1e400',
    '-1',
    '1.0000000000000000001',
    '1e309',
  ])('%s as an amount or an id is refused, never rounded', async (number) => {
    const before = await counts();
    expectRefused(await w.rest.post('/products', `{"amount_in_cents":${number}}`));
    expectRefused(await w.rest.post('/deals', `{"stage_id":${number},"contact_id":${number}}`));
    expectRefused(
      await w.rest.post('/deal_products', `{"deal_id":${number},"product_id":${number}}`),
    );
    const ours = `"deal_id":${ids.deals},"product_id":${ids.products}`;
    expectRefused(await w.rest.post('/deal_products', `{${ours},"quantity":${number}}`));
    expectRefused(
      await w.rest.post(
        '/contacts/search',
        `{"query":{"id_eq":${number === '-1' ? '"x"' : '1.5e999'}}}`,
      ),
    );
    expect(await counts()).toEqual(before);
  });
});

test('none of it harmed the service', () => expectUnharmed(service, w));
