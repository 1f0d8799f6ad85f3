/** What a batch is as a whole: atomic, dry, too large, or not quite right. */
import { describe, expect, test } from '@jest/globals';
import { type Batch, sendingBatches } from '../kit/batch.ts';
import type { Contact, Deal } from '../kit/records.ts';
import { sharedService } from '../kit/service.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const batch = sendingBatches(() => w.rest);

describe('a batch that is atomic', () => {
  test('writes all', async () => {
    const { body } = await batch('contacts', 'create', [{}, {}], { atomic: 'true' });
    expect(body.summary).toEqual({ created: 2, updated: 0, deleted: 0, failed: 0 });
  });

  test('writes none when one is refused, and tells all faults by place', async () => {
    const email = unique('none');
    const before = await service.database.query('SELECT max(id) AS id FROM contacts');
    const records = [{ email }, { email: 'x', full_name: 1e9, phone: {} }, { email }, []];
    const { status, body } = await batch('contacts', 'create', records, { atomic: true });
    const taken = { 'records.2.email': ['has already been taken'] };
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        error: 'Validation failed',
        code: 'validation_failed',
        errors: [
          'records.1: Email is invalid',
          'records.1: Phone must be a string',
          'records.2: Email has already been taken',
          'records.3: Body must be an object',
        ],
        fields: {
          'records.1.email': ['is invalid'],
          'records.1.phone': ['must be a string'],
          ...taken,
          'records.3.body': ['must be an object'],
        },
        codes: {
          'records.1.email': ['invalid'],
          'records.1.phone': ['invalid'],
          'records.2.email': ['taken'],
          'records.3.body': ['invalid'],
        },
        request_id: expect.any(String),
      },
    });
    expect(await service.database.query('SELECT max(id) AS id FROM contacts')).toEqual(before);
  });

  test('removes none of several deals when one is not there', async () => {
    const deals = [await w.deal(), await w.deal()];
    const records = [...deals, { id: 999_999_999 }].map(({ id }) => ({ id }));
    const { status, body } = await batch('deals', 'delete', records, { atomic: true });
    expect([status, body]).toMatchObject([
      422,
      { fields: { 'records.2': ['Resource could not be found'] } },
    ]);
    for (const { id } of deals) expect((await w.fetchDeal(id)).id).toBe(id);
  });
});

test('a dry run tells what would come of each record and which there are, and writes nothing', async () => {
  const email = unique('dry');
  const { id } = await w.contact({ email });
  const tables = ['contacts', 'deals', 'events', 'audit_entries'];
  const counts = () => Promise.all(tables.map((table) => w.count(table)));
  const before = await counts();
  const other = unique('other');
  const records = [
    { email, full_name: 'Changed' },
    { email: other },
    { email: other },
    'x',
    { phone: {} },
  ];
  const answer = await batch('contacts', 'upsert', records, { dry_run: true });
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      results: [
        { index: 0, status: 200, id },
        { index: 1, status: 201, id: expect.any(Number) },
        { index: 2, status: 200, id: expect.any(Number) },
        expect.objectContaining({ index: 3, status: 422, errors: ['Body must be an object'] }),
        expect.objectContaining({ index: 4, status: 422, fields: { phone: ['must be a string'] } }),
      ],
      summary: { created: 1, updated: 2, deleted: 0, failed: 2 },
    },
  ]);
  const stage_id = w.stageIds[0];
  const deals = [
    { stage_id, contact_id: id },
    { stage_id, contact_attributes: { email: other } },
  ];
  const { body } = await batch('deals', 'upsert', deals, { dry_run: 1 });
  expect(body.summary).toMatchObject({ created: 2, failed: 0 });
  const all = await batch('contacts', 'upsert', records, { dry_run: true, atomic: true });
  expect(all.status).toBe(422);
  expect(await counts()).toEqual(before);
});

test.each(['update', 'delete'])(
  'of a record to %s without an id it is the id that is wrong',
  async (operation) => {
    const { body } = await batch('contacts', operation, [
      { contact_id: 1 },
      { id: '' },
      { id: 'x' },
    ]);
    const nameless = {
      status: 422,
      id: null,
      code: 'validation_failed',
      errors: ["Id can't be blank"],
      fields: { id: ["can't be blank"] },
      codes: { id: ['blank'] },
    };
    expect(body.results).toEqual([
      { index: 0, ...nameless },
      { index: 1, ...nameless },
      {
        index: 2,
        status: 404,
        id: null,
        code: 'not_found',
        errors: ['Resource could not be found'],
      },
    ]);
  },
);

test('a dry run names a record that stands in the way of another, also one of its own', async () => {
  const [taken, email] = [unique('taken'), unique('twice')];
  const { id } = await w.contact({ email: taken });
  const records = [{ email: taken }, { email }, { email }];
  const { body } = await batch('contacts', 'create', records, { dry_run: true });
  const refused = {
    status: 422,
    id: null,
    code: 'validation_failed',
    errors: ['Email has already been taken'],
    fields: { email: ['has already been taken'] },
    codes: { email: ['taken'] },
  };
  expect(body.results).toEqual([
    { index: 0, ...refused, conflict: { contact_id: id } },
    { index: 1, status: 201, id: expect.any(Number) },
    { index: 2, ...refused, conflict: { contact_id: body.results[1]?.id } },
  ]);
});

describe('a batch as a whole', () => {
  const refusal = async (body: Readonly<Record<string, unknown>>, kind = 'contacts') => {
    const answer = await w.rest.post<{ fields: unknown }>(`/${kind}/batch`, body);
    return [answer.status, answer.body.fields];
  };

  test('needs an operation that its records have, and a list of records', async () => {
    expect(await refusal({})).toEqual([
      422,
      { operation: ["can't be blank"], records: ["can't be blank"] },
    ]);
    expect(await refusal({ operation: 'merge', records: {}, atomic: 'maybe', dry_run: 2 })).toEqual(
      [
        422,
        {
          operation: ['is not included in the list (create, upsert, update, delete)'],
          records: ['must be a list of objects'],
          atomic: ['must be true or false'],
          dry_run: ['must be true or false'],
        },
      ],
    );
    expect(await refusal({ operation: 'upsert', records: [] }, 'products')).toEqual([
      422,
      { operation: ['is not included in the list (create, update, delete)'] },
    ]);
  });

  test('has a thousand records at most, and none is enough', async () => {
    const max = Array.from({ length: 1001 }, () => ({ full_name: 5 }));
    expect(await refusal({ operation: 'create', records: max })).toEqual([
      422,
      { records: ['has more than 1,000 records'] },
    ]);
    const { status, body } = await batch('contacts', 'create', []);
    const summary = { created: 0, updated: 0, deleted: 0, failed: 0 };
    expect({ status, body }).toEqual({ status: 200, body: { results: [], summary } });
  });

  test('may have eight mebibytes', async () => {
    const record = { custom_attributes: { text: 'x'.repeat(60_000) } };
    const records = Array.from({ length: 100 }, () => record);
    expect((await batch('contacts', 'create', records)).body.summary.created).toBe(100);
    const more = Array.from({ length: 150 }, () => record);
    expect((await batch('contacts', 'create', more)).status).toBe(413);
  });

  test('tells each ignored name once, or refuses the records that have it', async () => {
    const records = [
      { fullname: 'x', id: 5, created_at: 'x' },
      { fullname: 'y', contact: {} },
      { contact: { full_name: 'x' } },
      { full_name: 'z' },
    ];
    const body = { operation: 'create', records, atomc: true };
    const loose = await w.rest.post<Batch>('/contacts/batch', body);
    const wrapped = {
      index: 2,
      status: 422,
      id: null,
      code: 'validation_failed',
      errors: [
        'contact: is not a field: the fields stand in the body itself, not in an object within it',
      ],
      fields: {
        contact: [
          'is not a field: the fields stand in the body itself, not in an object within it',
        ],
      },
      codes: { contact: ['unknown_field'] },
    };
    expect(loose.headers['x-ignored-fields']).toBe('atomc, fullname, contact');
    expect(loose.body.results.map(({ status }) => status)).toEqual([201, 201, 422, 201]);
    expect(loose.body.results[2]).toEqual(wrapped);
    const strict = await batch('contacts', 'create', records, {
      headers: { prefer: 'handling=strict' },
    });
    expect(strict.headers['preference-applied']).toBe('handling=strict');
    expect(strict.body.results.map(({ fields }) => fields)).toEqual([
      { fullname: ['is not a field (did you mean full_name?)'] },
      {
        fullname: ['is not a field (did you mean full_name?)'],
        contact: ['is not a field'],
      },
      wrapped.fields,
      undefined,
    ]);
  });

  test('refuses in GraphQL what is no field', async () => {
    const { body } = await w.graphql.send<{ batch_contacts: Batch }>(
      `mutation ($records: BatchRecords) {
        batch_contacts(account_id: ${w.accountId}, operation: "create", records: $records) {
          results { status code fields codes }
        }
      }`,
      { records: [{ fullname: 'x' }, { full_name: 'x' }] },
    );
    expect(body.data?.batch_contacts.results).toEqual([
      {
        status: 422,
        code: 'validation_failed',
        fields: { fullname: ['is not a field (did you mean full_name?)'] },
        codes: { fullname: ['unknown_field'] },
      },
      { status: 201, code: null, fields: null, codes: null },
    ]);
  });

  test('sends back what was fetched', async () => {
    const contact = await w.fetchContact((await w.contact()).id);
    const deal: Deal = await w.fetchDeal((await w.deal()).id);
    const people = await batch('contacts', 'update', [contact]);
    const sales = await batch('deals', 'update', [deal]);
    expect([people.body.summary.updated, sales.body.summary.updated]).toEqual([1, 1]);
    expect(people.headers['x-ignored-fields']).toBeUndefined();
    const again: Contact = await w.fetchContact(contact.id);
    expect(again).toEqual(contact);
  });
});
