import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Batch, sendBatch } from '../kit/batch.ts';
import type { Contact, Deal } from '../kit/records.ts';
import { type Service, startService } from '../kit/service.ts';
import { type Input, unique, type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
});
afterAll(() => service.close());

const batch = (
  kind: string,
  operation: string,
  records: readonly unknown[],
  others?: Parameters<typeof sendBatch>[4],
) => sendBatch(w.rest, kind, operation, records, others);

const idsOf = ({ results }: Batch) => results.map(({ id }) => Number(id));

const newId = { id: expect.any(Number) };

describe('a batch of contacts', () => {
  test('creates each that is valid, and tells what is wrong with the others', async () => {
    const taken = await w.contact({ email: unique('taken') });
    const email = unique('new');
    const { status, body } = await batch('contacts', 'create', [
      { full_name: ' Ana  Souza ', email },
      { email: 'x', phone: [] },
      { email: taken.email },
      'Ana',
      {},
    ]);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        results: [
          { index: 0, status: 201, ...newId },
          {
            index: 1,
            status: 422,
            id: null,
            errors: ['Email is invalid', 'Phone must be a string'],
            fields: { email: ['is invalid'], phone: ['must be a string'] },
          },
          {
            index: 2,
            status: 422,
            id: null,
            errors: ['Email has already been taken'],
            fields: { email: ['has already been taken'] },
            conflict: { contact_id: taken.id },
          },
          {
            index: 3,
            status: 422,
            id: null,
            errors: ['Body must be an object'],
            fields: { body: ['must be an object'] },
          },
          { index: 4, status: 201, ...newId },
        ],
        summary: { created: 2, updated: 0, deleted: 0, failed: 3 },
      },
    });
    const created = await w.fetchContact(idsOf(body)[0] ?? 0);
    expect([created.full_name, created.email]).toEqual(['Ana Souza', email]);
  });

  test('updates those that match and creates the others, twice the same as one after the other', async () => {
    const known = await w.contact({ email: unique('known') });
    const email = unique('twice');
    const { body } = await batch('contacts', 'upsert', [
      { email: known.email, full_name: 'One' },
      { email, full_name: 'Two', label_list: ['a'] },
      { email: email.toUpperCase(), full_name: 'Three' },
      { email: known.email, phone: '+14155550123' },
    ]);
    const [, second] = idsOf(body);
    expect(body).toEqual({
      results: [
        { index: 0, status: 200, id: known.id },
        { index: 1, status: 201, ...newId },
        { index: 2, status: 200, id: second },
        { index: 3, status: 200, id: known.id },
      ],
      summary: { created: 1, updated: 3, deleted: 0, failed: 0 },
    });
    const { full_name, phone } = await w.fetchContact(known.id);
    expect([full_name, phone]).toEqual(['One', '+14155550123']);
    const other = await w.fetchContact(second ?? 0);
    expect([other.full_name, other.label_list]).toEqual(['Three', ['a']]);
  });

  test('changes those that are named by their ids', async () => {
    const [one, other] = [await w.contact(), await w.contact({ email: unique('a') })];
    const { body } = await batch('contacts', 'update', [
      { id: one.id, full_name: 'Changed' },
      { id: 999_999_999, full_name: 'x' },
      { id: String(other.id) },
      { full_name: 'x' },
      { id: one.id, email: other.email },
    ]);
    const missing = { id: null, status: 404, errors: ['Resource could not be found'] };
    expect(body).toEqual({
      results: [
        { index: 0, status: 200, id: one.id },
        { index: 1, ...missing },
        { index: 2, status: 200, id: other.id },
        { index: 3, ...missing },
        {
          index: 4,
          status: 422,
          id: null,
          errors: ['Email has already been taken'],
          fields: { email: ['has already been taken'] },
          conflict: { contact_id: other.id },
        },
      ],
      summary: { created: 0, updated: 2, deleted: 0, failed: 3 },
    });
    expect((await w.fetchContact(one.id)).full_name).toBe('Changed');
  });

  test('deletes them with all that goes along, each once', async () => {
    const deal = await w.deal();
    const { id } = await w.contact();
    const { body } = await batch('contacts', 'delete', [
      { id: deal.contact_id },
      { id },
      { id },
      { id: 'x' },
    ]);
    const missing = { status: 404, id: null, errors: ['Resource could not be found'] };
    expect(body).toEqual({
      results: [
        { index: 0, status: 204, id: deal.contact_id },
        { index: 1, status: 204, id },
        { index: 2, ...missing },
        { index: 3, ...missing },
      ],
      summary: { created: 0, updated: 0, deleted: 2, failed: 2 },
    });
    expect((await w.rest.get(`/deals/${deal.id}`)).status).toBe(404);
  });
});

describe('many contacts', () => {
  const people = (count: number, domain = unique('many')) =>
    Array.from({ length: count }, (_, n) => ({
      email: `${n}.${domain}`,
      full_name: `Person ${n}`,
    }));

  test('cost as many statements as few, in the order in which they were sent', async () => {
    const records = people(1000);
    const sentFor = async (operation: string, given: readonly Input[] = records) => {
      service.statements.length = 0;
      const { body } = await batch('contacts', operation, given);
      expect(body.summary.failed).toBe(0);
      return {
        ids: idsOf(body),
        sent: service.statements.filter((text) => !/api_tokens/.test(text)),
      };
    };
    const created = await sentFor('upsert');
    const each = ['BEGIN', 'SELECT', 'WITH', 'COMMIT'];
    const kinds = created.sent.map((text) => text.slice(0, text.search(/\s|$/)));
    expect(kinds).toEqual([...each, ...each, ...each, ...each]);
    expect(created.ids).toEqual([...created.ids].sort((one, other) => one - other));
    const renamed = records.map((record) => ({ ...record, full_name: 'New' }));
    const changed = await sentFor('upsert', renamed);
    expect([changed.sent.length, changed.ids]).toEqual([16, created.ids]);
    const named = created.ids.map((id) => ({ id, label_list: 'x' }));
    expect((await sentFor('update', named)).sent).toHaveLength(16);
  });

  test('are created once, however many write the same at once in whatever order', async () => {
    const records = people(60);
    const single = (record: Input) => w.rest.post<Contact>('/contacts/upsert', record);
    const [one, other, ...singles] = await Promise.all([
      batch('contacts', 'upsert', records),
      batch('contacts', 'upsert', [...records].reverse()),
      ...records.slice(20, 40).map(single),
    ]);
    const all = [...one.body.results, ...other.body.results, ...singles];
    const created = all.filter(({ status }) => status === 201);
    expect([created.length, all.filter(({ status }) => status === 200).length]).toEqual([60, 80]);
    expect(idsOf(one.body)).toEqual(idsOf(other.body).reverse());
  });
});

test('many deals are put at the ends of their stages together', async () => {
  const { id: contact_id } = await w.contact();
  const [first, second] = w.stageIds;
  const records = Array.from({ length: 50 }, (_, n) => ({
    name: `Deal ${n}`,
    contact_id,
    stage_id: n % 5 === 0 ? second : first,
  }));
  const before = await w.board(first);
  service.statements.length = 0;
  const { body } = await batch('deals', 'create', records);
  const sent = service.statements.filter((text) => !/api_tokens/.test(text));
  expect(sent.map((text) => text.slice(0, text.search(/\s|$/)))).toEqual([
    ...['BEGIN', 'SELECT', 'SELECT', 'WITH', 'COMMIT'],
  ]);
  const { ids, positions } = await w.board(first);
  expect(ids).toEqual([...before.ids, ...idsOf(body).filter((_, n) => n % 5 !== 0)]);
  expect(positions).toEqual(ids.map((_, n) => n + 1));
});

describe('batches of the other records', () => {
  test('of deals: created, upserted, changed and removed', async () => {
    const { id: contact_id } = await w.contact();
    const email = unique('lead');
    const [stage_id, other_stage] = w.stageIds;
    const created = await batch('deals', 'create', [
      { name: 'A', contact_id, stage_id },
      { name: 'B', contact_id, stage_id, position: 1 },
      { name: 'C', contact_id, stage_id: 999_999_999 },
    ]);
    expect(created.body).toEqual({
      results: [
        { index: 0, status: 201, ...newId },
        { index: 1, status: 201, ...newId },
        {
          index: 2,
          status: 422,
          id: null,
          errors: ['Stage must exist'],
          fields: { stage_id: ['must exist'] },
        },
      ],
      summary: { created: 2, updated: 0, deleted: 0, failed: 1 },
    });
    const [first, second] = idsOf(created.body);
    const upserted = await batch('deals', 'upsert', [
      { contact_id, name: 'A1' },
      { contact_attributes: { email }, stage_id, name: 'D' },
      { contact_attributes: { email }, stage_id: other_stage },
    ]);
    expect(upserted.body.results).toEqual([
      { index: 0, status: 200, id: first },
      { index: 1, status: 201, ...newId },
      { index: 2, status: 200, id: upserted.body.results[1]?.id },
    ]);
    const changed = await batch('deals', 'update', [
      { id: first, status: 'won' },
      { id: second, stage_id: other_stage, position: 1 },
    ]);
    expect(changed.body.summary).toEqual({ created: 0, updated: 2, deleted: 0, failed: 0 });
    const deal = await w.fetchDeal(second ?? 0);
    expect([deal.name, deal.stage_id, deal.position]).toEqual(['B', other_stage, 1]);
    const gone = await batch('deals', 'delete', [{ id: first }, { id: second }]);
    expect(gone.body.summary).toEqual({ created: 0, updated: 0, deleted: 2, failed: 0 });
  });

  test('of products and of products on deals, whose totals are exact', async () => {
    const made = await batch('products', 'create', [
      { name: 'Chair', amount_in_cents: 100 },
      { name: 'Table', amount_in_cents: '250' },
    ]);
    const [chair, table] = idsOf(made.body);
    const deal = await w.deal();
    const attached = await batch('deal_products', 'create', [
      { deal_id: deal.id, product_id: chair, quantity: 3 },
      { deal_id: deal.id, product_id: table },
      { deal_id: deal.id, product_id: 999_999_999 },
      { deal_id: deal.id },
    ]);
    expect(attached.body.results.map(({ status }) => status)).toEqual([201, 201, 404, 422]);
    const [one, other] = idsOf(attached.body);
    const changed = await batch('deal_products', 'update', [{ id: one, quantity: 5 }]);
    expect(changed.body.results).toEqual([{ index: 0, status: 200, id: one }]);
    expect((await w.fetchDeal(deal.id)).total_deal_products_amount_in_cents).toBe(750);
    const kept = await batch('products', 'delete', [{ id: chair }]);
    expect(kept.body.results[0]?.fields).toEqual({ deal_products: ['still refer to it'] });
    await batch('deal_products', 'delete', [{ id: one }, { id: other }]);
    expect((await w.fetchDeal(deal.id)).total_deal_products_amount_in_cents).toBe(0);
    const renamed = await batch('products', 'update', [{ id: chair, name: 'Stool' }]);
    expect(renamed.body.summary).toEqual({ created: 0, updated: 1, deleted: 0, failed: 0 });
    const gone = await batch('products', 'delete', [{ id: chair }, { id: table }]);
    expect(gone.body.summary).toEqual({ created: 0, updated: 0, deleted: 2, failed: 0 });
  });

  test('of events, of a deal or of a contact', async () => {
    const deal = await w.deal();
    const { body } = await batch('events', 'create', [
      { kind: 'note', title: 'a', deal_id: deal.id },
      { kind: 'activity', title: 'b', contact_id: deal.contact_id, done: true },
      { kind: 'note', deal_id: deal.id, contact_id: 999_999_999 },
      { kind: 'note', contact_id: 999_999_999 },
      { title: 'x' },
    ]);
    expect(body.results).toEqual([
      { index: 0, status: 201, ...newId },
      { index: 1, status: 201, ...newId },
      {
        index: 2,
        status: 422,
        id: null,
        errors: ['Contact is not that of the path'],
        fields: { contact_id: ['is not that of the path'] },
      },
      { index: 3, status: 404, id: null, errors: ['Resource could not be found'] },
      {
        index: 4,
        status: 422,
        id: null,
        errors: ["Kind can't be blank", "Contact can't be blank"],
        fields: { kind: ["can't be blank"], contact_id: ["can't be blank"] },
      },
    ]);
    const [note, activity] = idsOf(body);
    const changed = await batch('events', 'update', [{ id: activity, done: false }]);
    expect(changed.body.summary.updated).toBe(1);
    const { events } = await w.fetchContact(deal.contact_id);
    const told = events.filter(({ id }) => id === note || id === activity);
    expect(told.map((event) => [event.title, event.deal_id, event.done_at])).toEqual([
      ['a', deal.id, null],
      ['b', null, null],
    ]);
    const gone = await batch('events', 'delete', [{ id: note }]);
    expect(gone.body.results).toEqual([{ index: 0, status: 204, id: note }]);
  });
});

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
        conflict: { contact_id: expect.any(Number) },
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

test('a dry run tells what would come of each record, and writes nothing', async () => {
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
        { index: 0, status: 200, id: null },
        { index: 1, status: 201, id: null },
        { index: 2, status: 200, id: null },
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
    const most = Array.from({ length: 1001 }, () => ({ full_name: 5 }));
    expect(await refusal({ operation: 'create', records: most })).toEqual([
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
      errors: [
        'contact: is not a field: the fields stand in the body itself, not in an object within it',
      ],
      fields: {
        contact: [
          'is not a field: the fields stand in the body itself, not in an object within it',
        ],
      },
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
          results { status fields }
        }
      }`,
      { records: [{ fullname: 'x' }, { full_name: 'x' }] },
    );
    expect(body.data?.batch_contacts.results).toEqual([
      { status: 422, fields: { fullname: ['is not a field (did you mean full_name?)'] } },
      { status: 201, fields: null },
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
