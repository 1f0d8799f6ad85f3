import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema, getNamedType, isLeafType, isObjectType } from 'graphql';
import { oneOfEach } from '../kit/one_of_each.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

/** Resources with a root field for one record and another for a page of them. */
const resources = [
  ['contact', 'contacts'],
  ['deal', 'deals'],
  ['deal_product', 'deal_products'],
  ['product', 'products'],
  ['pipeline', 'pipelines'],
  ['stage', 'stages'],
  ['event', 'events'],
  ['user', 'users'],
  ['webhook', 'webhooks'],
] as const;

const service = await sharedService();
const w = await world(service);
let ids: Readonly<Record<string, number>>;
beforeAll(async () => {
  ids = await oneOfEach(w);
  // What PostgreSQL and JavaScript might write in two ways.
  const text = 'Ana "\\" \u0001\u001e\u007f\u2028\u2029 / \u{1f600} $& \t';
  const named = { full_name: text, label_list: ['a,b', '"'] };
  expect(await w.rest.put(`/contacts/${ids.contacts}`, named)).toAnswer(200);
  const won = await w.rest.put(
    `/deals/${ids.deals}`,
    '{"name":"null","status":"won","custom_attributes":{ "n": 1.10e3,"long":123456789012345678901234567890, "at":"2026-03-01T10:00:00.12+00:00","deep":[{},[]] }}',
  );
  expect(won).toAnswer(200);
  for (const moment of [
    '2026-03-01T10:00:00Z',
    '1000-01-01T00:00:00.1Z',
    '9999-12-31T23:59:59.12Z',
  ]) {
    const event = { kind: 'activity', title: moment, scheduled_at: moment };
    expect(await w.rest.post(`/deals/${ids.deals}/events`, event)).toAnswer(201);
  }
});

/** All fields of a type that have nothing beneath, some under another name. */
function fieldsOf(type: string): string {
  const found = schema.getType(type);
  if (!isObjectType(found)) throw new Error(`there is no ${type}`);
  const leaves = Object.values(found.getFields()).filter(({ type: of }) =>
    isLeafType(getNamedType(of)),
  );
  return leaves.map(({ name }, at) => (at % 4 > 0 ? name : `${name}_: ${name}`)).join(' ');
}

const typeOf = (field: string): string => {
  const found = schema.getQueryType()?.getFields()[field];
  if (!found) throw new Error(`there is no ${field}`);
  return getNamedType(found.type).name;
};

/**
 * Texts of answers to a document: one that the database writes, and the same where it may not, because
 * the document has a value under two names, and where graphql-js goes through each record, because of a name
 * that every object has.
 * @param document with a directive, or without
 */
async function eachWay(document: (directive: string) => string): Promise<readonly string[]> {
  const written = await w.graphql.send(document(''));
  expect(written.body?.errors).toBeUndefined();
  const twice = `${document('').slice(0, -1)} a: __typename b: __typename }`;
  const conditional = document('@include(if: $toString)');
  const others = [
    await w.graphql.send(document('@include(if: true)')),
    await w.graphql.send(twice),
    await w.graphql.send(`query ($toString: Boolean! = true) ${conditional}`),
  ];
  const texts = others.map(({ text }) => text.replace(',"a":"Query","b":"Query"', ''));
  return [written.text, ...texts];
}

const alike = (texts: readonly string[]): void => expect(texts).toEqual(texts.map(() => texts[0]));

describe('a record that the database writes reads to the letter as one that is resolved', () => {
  test.each(resources)('%s', async (one, many) => {
    const texts = await eachWay(
      (directive) =>
        `{ it: ${one}(account_id: ${w.accountId}, id: ${ids[many]}) { kind_: __typename ${directive} ${fieldsOf(typeOf(one))} } }`,
    );
    alike(texts);
  });

  test.each(resources)('a page of %s', async (one, many) => {
    const texts = await eachWay(
      (directive) =>
        `{ ${many}(account_id: ${w.accountId}, per_page: 1) { pagination { to count next_cursor } __typename ${directive} rows: data { ${fieldsOf(typeOf(one))} } } }`,
    );
    alike(texts);
  });

  test('with everything beneath it', async () => {
    // Longer than a name in PostgreSQL, which would take two of them for the same.
    const long = 'n'.repeat(70);
    const texts = await eachWay(
      (directive) => `{ deal(account_id: ${w.accountId}, id: ${ids.deals}) {
        name ${directive}
        contact { ${fieldsOf('Contact')} newest: events(limit: 1) { id } ${long}1: events(limit: 1, offset: 1) { title } ${long}2: events(limit: 1, offset: 2) { title } events(limit: 9, offset: 1) { ${fieldsOf('Event')} } }
        stage { name pipeline { stages(limit: 5) { position } } }
        deal_assignees(limit: 5) { user { full_name } }
        deal_products(limit: 5) { ${fieldsOf('DealProduct')} product { ${fieldsOf('Product')} } }
      } }`,
    );
    alike(texts);
  });
});

describe('lists that nothing limits read to the letter as those that are resolved', () => {
  test('a board', async () => {
    const texts = await eachWay(
      (
        directive,
      ) => `{ board: pipeline_board(account_id: ${w.accountId}, pipeline_id: ${ids.pipelines}) {
        stages {
          name_: __typename ${directive} sum_in_cents
          of: stage { name pipeline { name } }
          deals { ${fieldsOf('Deal')} contact { full_name label_list } mine: deal_assignees { user { full_name } } }
          count
        }
        pipeline { name created_at }
      } }`,
    );
    alike(texts);
    expect(texts[0]).toContain('"mine":[{"user":{"full_name"');
  });

  test('a record with all that it has', async () => {
    const texts = await eachWay(
      (directive) => `{ contact(account_id: ${w.accountId}, id: ${ids.contacts}) {
        full_name ${directive} own: deals { ${fieldsOf('Deal')} deal_products { quantity } } events { kind }
      } }`,
    );
    alike(texts);
  });
});

/** Beneath a record that was written, so that it takes another statement to read it. */
const beneath: Readonly<Record<string, string>> = {
  contact: 'deals(limit: 2) { id contact { full_name } }',
  deal: 'contact { full_name } deal_products(limit: 3) { quantity } deal_assignees(limit: 3) { user { id } }',
  deal_product: 'deal { total_deal_products_amount_in_cents } product { name }',
};

/** Resources, and what writes one of them. */
const writes = [
  ['contact', 'create_contact', 'input: {full_name: "\\u0001 $&", custom_attributes: {n: 1.10}}'],
  ['contact', 'upsert_contact', 'input: {email: "upserted@example.com"}'],
  ['contact', 'update_contact', 'id: $contacts, input: {label_list: "b,a"}'],
  ['contact', 'update_contact', 'id: $contacts, input: {}'],
  ['deal', 'create_deal', 'input: {contact_id: $contacts, stage_id: $stages, name: "x"}'],
  ['deal', 'upsert_deal', 'input: {contact_id: $contacts, name: "y"}'],
  ['deal', 'update_deal', 'id: $deals, input: {status: "lost", lost_reason: "\\"\\\\"}'],
  ['deal', 'update_deal', 'id: $deals, input: {position: 1}'],
  ['product', 'create_product', 'input: {name: "x", custom_attributes: {n: 12345678901234567890}}'],
  ['product', 'update_product', 'id: $products, input: {amount_in_cents: "7"}'],
  ['deal_product', 'create_deal_product', 'input: {deal_id: $deals, product_id: $products}'],
  ['deal_product', 'update_deal_product', 'id: $deal_products, input: {quantity: 3}'],
  ['pipeline', 'create_pipeline', 'input: {name: "x"}'],
  ['pipeline', 'update_pipeline', 'id: $pipelines, input: {name: "y"}'],
  ['stage', 'create_stage', 'input: {name: "x", pipeline_id: $pipelines}'],
  ['stage', 'update_stage', 'id: $stages, input: {name: "y"}'],
  ['event', 'create_contact_event', 'contact_id: $contacts, input: {kind: "note", content: "x"}'],
  ['event', 'create_deal_event', 'deal_id: $deals, input: {kind: "note", content: "x"}'],
  ['user', 'update_user', 'id: $users, input: {full_name: "x"}'],
  ['webhook', 'update_webhook', 'id: $webhooks, input: {description: "x"}'],
] as const;

test.each(writes)(
  'a %s reads to the letter as one that is fetched and resolved, after %s(%s)',
  async (one, write, given) => {
    const isPayload = write.startsWith('upsert');
    const sent = given.replace(/\$([a-z_]+)/g, (_, many) => String(ids[many]));
    for (const under of ['', beneath[one] ?? '']) {
      const fields = `{ ${fieldsOf(typeOf(one))} ${under} }`;
      const inPayload = isPayload ? `{ created it: ${one} ${fields} }` : fields;
      const written = await w.graphql.send(
        `mutation { it: ${write}(account_id: ${w.accountId}, ${sent}) ${inPayload} }`,
      );
      expect(written.body?.errors).toBeUndefined();
      const { it } = Object(written.body?.data);
      const { id_: id } = isPayload ? it.it : it;
      const { text } = await w.graphql.send(
        `query ($toString: Boolean = true) {
          it: ${one}(account_id: ${w.accountId}, id: ${id}) { ... @include(if: $toString) ${fields} } }`,
      );
      const record = text.slice('{"data":{"it":'.length, -'}}'.length);
      const payload = isPayload ? `{"created":${it.created},"it":${record}}` : record;
      expect(written.text.trim()).toBe(`{"data":{"it":${payload}}}`);
    }
  },
);

/** Names that the statement itself might have a use for. */
const taken = [
  'record',
  'answer',
  'shown',
  'data',
  'r',
  'page',
  't1',
  'source',
  'version',
  'place',
  'written',
  'sent',
  'changes',
];

test.each(taken)('a member may be called %s', async (name) => {
  const answers = await Promise.all([
    w.graphql.send(
      `{ contact(account_id: ${w.accountId}, id: ${ids.contacts}) { ${name}: id deals(limit: 1) { ${name}: contact { ${name}: id } } } }`,
    ),
    w.graphql.send(
      `{ contacts(account_id: ${w.accountId}, query: {id_eq: ${ids.contacts}}) { data { ${name}: deals(limit: 1) { ${name}: contact_id } } } }`,
    ),
    w.graphql.send(
      `mutation { ${name}: update_contact(account_id: ${w.accountId}, id: ${ids.contacts}, input: {email: "${name}@example.com"}) { ${name}: id } }`,
    ),
  ]);
  const id = ids.contacts;
  expect(answers.map(({ body }) => body)).toEqual([
    { data: { contact: { [name]: id, deals: [{ [name]: { [name]: id } }] } } },
    { data: { contacts: { data: [{ [name]: [{ [name]: id }] }] } } },
    { data: { [name]: { [name]: id } } },
  ]);
});

test('a refusal reads as one of a record that is resolved', async () => {
  const missing = (before: string) =>
    `${before} { gone: contact(account_id: ${w.accountId}, id: 999999999) { id } }`;
  const [shown, resolved] = [
    await w.graphql.send(missing('query')),
    await w.graphql.send(missing('query toString')),
  ];
  expect(shown.text).toBe(resolved.text);
  expect(shown.body?.errors).toEqual([
    expect.objectContaining({
      path: ['gone'],
      extensions: expect.objectContaining({ code: 'NOT_FOUND' }),
    }),
  ]);
});
