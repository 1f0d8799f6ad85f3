/**
 * What a client may send is stored and shown, whichever operation it is sent to: the fields are those
 * of schema.graphql, so that one which is new is tested with the others.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
  buildSchema,
  type GraphQLField,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { sharedService } from '../kit/service.ts';
import { type Input, unique, type World, world } from '../kit/world.ts';

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
const mutations = schema.getMutationType()?.getFields() ?? {};

/** Values for fields that do not take any of their type. */
const values: Readonly<Record<string, (n: number) => unknown>> = {
  email: () => unique('stored'),
  phone: () => unique('phone'),
  kind: (n) => ['note', 'activity'][n],
  language: (n) => ['de', 'es'][n],
  role: (n) => ['member', 'admin'][n],
  status: (n) => ['lost', 'won'][n],
  url: (n) => `https://example.com/${n}`,
  avatar_url: (n) => `https://example.com/${n}`,
};

const ofType: Readonly<Record<string, (n: number, field: string) => unknown>> = {
  Text: (n, field) => `${field} ${n}`,
  Integer: (n) => 10 + n,
  DateTime: (n) => `2026-03-0${1 + n}T10:00:00.000Z`,
  Flag: (n) => n === 0,
  Labels: (n) => [`label ${n}`, 'other'],
  WebhookEvents: (n) => [['contact.*'], ['deal.update', 'deal.delete']][n],
  JSONObject: (n) => ({ b: n, a: 1 }),
};

/** Sent and not stored as they are. */
const unstored = ['password', 'password_confirmation', 'done', 'contact_attributes'];

interface Operation {
  readonly name: string;
  /** What it needs beside what is its own to store. */
  readonly fixed?: (w: World, created: Input) => Promise<Input> | Input;
  /** Fields that this operation does not store, or that decide against each other. */
  readonly without?: readonly string[];
  /** Under which field of a payload the record is. */
  readonly under?: string;
}

const password = { password: 'correct horse', password_confirmation: 'correct horse' };
const lost = ['won_at'];
const won = ['lost_reason', 'lost_at'];
const owner = ['contact_id', 'deal_id'];
const placed = async (w: World) => ({
  contact_id: (await w.contact()).id,
  stage_id: w.stageIds[0],
  pipeline_id: w.pipelineId,
  position: 1,
});
const moved = async (w: World) => ({
  contact_id: (await w.contact()).id,
  stage_id: w.other.stageId,
  pipeline_id: w.other.pipelineId,
  position: 1,
});

/** Creations, each with the change of what it created. */
const operations: readonly (readonly [Operation, Operation])[] = [
  [{ name: 'create_contact' }, { name: 'update_contact' }],
  [
    { name: 'upsert_contact', under: 'contact' },
    { name: 'upsert_contact', under: 'contact', fixed: (_, { email }) => ({ email }) },
  ],
  [
    { name: 'create_deal', fixed: placed, without: lost },
    { name: 'update_deal', fixed: moved, without: won },
  ],
  [
    { name: 'upsert_deal', fixed: placed, without: lost, under: 'deal' },
    {
      name: 'upsert_deal',
      fixed: async (w, { contact_id }) => ({ ...(await moved(w)), contact_id }),
      without: won,
      under: 'deal',
    },
  ],
  [{ name: 'create_product' }, { name: 'update_product' }],
  [
    {
      name: 'create_deal_product',
      fixed: async (w) => ({ deal_id: (await w.deal()).id, product_id: (await w.product()).id }),
    },
    { name: 'update_deal_product', without: ['deal_id', 'product_id'] },
  ],
  [
    { name: 'create_deal_event', without: owner },
    { name: 'update_event', without: owner },
  ],
  [
    { name: 'create_contact_event', without: owner },
    { name: 'update_event', without: owner },
  ],
  [{ name: 'create_pipeline' }, { name: 'update_pipeline' }],
  [
    { name: 'create_stage', fixed: (w) => ({ pipeline_id: w.pipelineId, position: 1 }) },
    { name: 'update_stage', fixed: () => ({ position: 2 }), without: ['pipeline_id'] },
  ],
  [{ name: 'create_user', fixed: () => password }, { name: 'update_user' }],
  [{ name: 'invite_user', under: 'user' }, { name: 'update_user' }],
  [
    { name: 'create_webhook', under: 'webhook', fixed: (w) => ({ user_id: w.admin.id }) },
    { name: 'update_webhook', fixed: (w) => ({ user_id: w.member.id }) },
  ],
];

const service = await sharedService();
const w = await world(service);

function fieldsOf(mutation: GraphQLField<unknown, unknown> | undefined) {
  const input = getNamedType(mutation?.args.find(({ name }) => name === 'input')?.type);
  if (!isInputObjectType(input)) throw new Error('an operation takes an input');
  return Object.values(input.getFields());
}

function inputOf({ name, without = [] }: Operation, n: number): Input {
  const sent = fieldsOf(mutations[name]).filter(
    (field) => !unstored.includes(field.name) && !without.includes(field.name),
  );
  return Object.fromEntries(
    sent.map((field) => {
      const type = getNamedType(field.type).name;
      return [field.name, (values[field.name] ?? ofType[type])?.(n, field.name)];
    }),
  );
}

interface Entry {
  readonly before: Input | null;
  readonly after: Input;
}

/** Runs an operation: what was sent, the record as it answers with it, and the audit entry. */
async function run(operation: Operation, n: number, created: Input = {}) {
  const { name, fixed, under } = operation;
  const owner = name === 'create_deal_event' ? await w.deal() : undefined;
  const contact = name === 'create_contact_event' ? await w.contact() : undefined;
  const sent = { ...inputOf(operation, n), ...(await fixed?.(w, created)) };
  const mutation = mutations[name];
  const payload = getNamedType(mutation?.type);
  const type =
    under && isObjectType(payload) ? getNamedType(payload.getFields()[under]?.type) : payload;
  if (!isObjectType(type)) throw new Error(`${name} returns a record`);
  const shown = Object.keys(sent).filter((field) => type.getFields()[field]);
  const given = {
    account_id: w.accountId,
    ...(name.startsWith('update') && { id: created.id }),
    ...(owner && { deal_id: owner.id }),
    ...(contact && { contact_id: contact.id }),
  };
  const list = Object.entries(given).map(([key, value]) => `${key}: ${value}`);
  const record = `id ${shown.join(' ')}`;
  const input = getNamedType(mutation?.args.find((argument) => argument.name === 'input')?.type);
  const data = await w.graphql.data<Record<string, Input>>(
    `mutation ($input: ${input}!) { ${name}(${list}, input: $input) { ${under ? `${under} { ${record} }` : record} } }`,
    { input: sent },
  );
  const answered = (under ? data[name]?.[under] : data[name]) as Input;
  const { audit_entries } = await w.graphql.data<{ audit_entries: { data: Entry[] } }>(
    `{ audit_entries(account_id: ${w.accountId}, query: {record_id_eq: ${answered.id}}, per_page: 1) { data { before after } } }`,
  );
  const stored = Object.fromEntries(
    shown.map((field) => [field, sent[field as keyof typeof sent]]),
  );
  return { sent, stored, answered, entry: audit_entries.data[0] };
}

/** Place and pipeline of a new deal follow from its stage, and the trail records the stage. */
const follows = (field: string) => ['pipeline_id', 'position'].includes(field);

test.each(operations.map((pair) => [pair[0].name, pair[1].name, pair] as const))(
  'every field that %s and %s take is stored and in the audit entry',
  async (_, __, [creation, change]) => {
    const { answered: record, ...created } = await run(creation, 0);
    const { id } = record;
    expect(record).toEqual({ id, ...created.stored });
    expect(Object.keys(created.entry?.after ?? {})).toEqual(
      expect.arrayContaining(Object.keys(created.stored).filter((field) => !follows(field))),
    );
    const changed = await run(change, 1, record);
    expect(changed.answered).toEqual({ id, ...changed.stored });
    const differing = Object.entries(changed.stored).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(record[field]),
    );
    expect(changed.entry?.after).toMatchObject(Object.fromEntries(differing));
    const differs = new Set(differing.map(([field]) => field));
    expect(changed.entry?.before).toMatchObject(
      Object.fromEntries(Object.entries(record).filter(([field]) => differs.has(field))),
    );
  },
);

/**
 * An account is not created here, contacts that are merged take no fields, an assignee has two ids and no more, a token is not changed, a
 * password is not shown, nor is a notified browser, a saved view is no record of the trail, a replay is not a record, and a reversal concerns many records: they have
 * tests of their own.
 */
const others = [
  ...[
    'update_account',
    'merge_contacts',
    'create_deal_assignee',
    'create_token',
    'change_password',
  ],
  ...[
    'create_saved_view',
    'update_saved_view',
    'subscribe_web_push',
    'revert_changes',
    'replay_webhook',
  ],
];

test('an upsert of a deal takes all fields of the deal and of its contact', () => {
  const fieldsIn = (name: string) => {
    const type = schema.getType(name);
    return isInputObjectType(type) ? Object.keys(type.getFields()) : [];
  };
  expect(fieldsIn('DealUpsertInput')).toEqual([...fieldsIn('DealInput'), 'contact_attributes']);
  expect(fieldsIn('ContactAttributesInput')).toEqual(['id', ...fieldsIn('ContactInput')]);
});

test('every operation that writes a record is among them', () => {
  const asked = new Set(operations.flat().map(({ name }) => name));
  const writing = Object.values(mutations).filter(({ args }) =>
    args.some(({ name }) => name === 'input'),
  );
  const lacking = writing.map(({ name }) => name).filter((name) => !asked.has(name));
  expect(lacking).toEqual(others);
});
