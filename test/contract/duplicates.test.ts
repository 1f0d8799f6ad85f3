/** Contacts that are probably one person are listed together, with what speaks for it. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { unique, type World, world } from '../kit/world.ts';

const { openDatabase } = await shipped<typeof import('../../src/db/open.ts')>('db/open.js');
const { keyContacts } = await shipped<typeof import('../../src/resources/folding/fold_rows.ts')>(
  'resources/folding/fold_rows.js',
);

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  w = await world(service);
});

type Fields = Readonly<Record<string, unknown>>;
interface Page {
  readonly data: readonly {
    readonly contacts: readonly { readonly id: number }[];
    readonly reasons: readonly string[];
  }[];
  readonly pagination: { readonly count: number; readonly next: number | null };
}

const list = (query = '') => w.rest.get<Page>(`/contacts/duplicates${query}`);
const groups = async () =>
  (await list('?per_page=100')).body.data.map(({ contacts, reasons }) => ({
    ids: contacts.map(({ id }) => id),
    reasons,
  }));

/** Creates two contacts, and tells what is said of them. */
async function reasonsFor(one: Fields, other: Fields): Promise<readonly string[]> {
  const { id } = await w.contact(one);
  const { id: second } = await w.contact(other);
  const group = (await groups()).find(({ ids }) => ids.includes(id));
  expect(group?.ids ?? [id, second]).toEqual([id, second]);
  return group?.reasons ?? [];
}

test.each<[string, Fields, Fields, readonly string[]]>([
  [
    'dots and tags of an address',
    { full_name: 'Ana', email: 'ana.lima@firm.example' },
    { full_name: '', email: 'analima+news@firm.example' },
    ['same_mailbox'],
  ],
  [
    'two names of a service',
    { email: 'a.na@gmail.com' },
    { email: 'ana@googlemail.com' },
    ['same_mailbox'],
  ],
  [
    'an address in an attribute',
    { full_name: 'Ana Lima', email: 'ana@firm.example' },
    { full_name: 'Ana', custom_attributes: { private: 'Ana@Firm.example' } },
    ['email_in_another_field'],
  ],
  [
    'an address for a name',
    { full_name: 'Ana Lima', email: 'ana@firm.example' },
    { full_name: 'ana@firm.example' },
    ['email_in_another_field'],
  ],
  [
    'a phone without its country',
    { full_name: 'Ana', phone: '+5511987654321' },
    { full_name: '', phone: '(11) 98765-4321' },
    ['same_phone'],
  ],
  [
    'one name with accents, in another order, and the end of a phone',
    { full_name: 'José Álvares', phone: '+5511987654321' },
    { full_name: 'ALVARES, jose', phone: '+552187654321' },
    ['same_name_and_phone_end'],
  ],
  [
    'one name, and the same before the @',
    { full_name: 'Ana Lima', email: 'ana.lima@gmial.com' },
    { full_name: 'Ana Lima', email: 'ana.lima@gmail.com' },
    ['same_name_and_similar_email'],
  ],
  [
    'one name in one company',
    { full_name: 'Ana Lima', email: 'sales@firm.example' },
    { full_name: 'Ana Lima', email: 'lima@firm.example' },
    ['same_name_same_domain'],
  ],
  [
    'a misspelt name in one company',
    { full_name: 'Ana Gonçalves', email: 'ana@firm.example' },
    { full_name: 'Ana Gonzalves', email: 'office@firm.example' },
    ['similar_name_same_domain'],
  ],
  [
    'a misspelt name, and the end of a phone',
    { full_name: 'Ana Gonçalves', phone: '+5511987654321' },
    { full_name: 'Ana Goncalvse', phone: '+5521987654321' },
    ['similar_name_and_phone_end'],
  ],
  [
    'a name alone',
    { full_name: 'Ana Lima', email: 'a@x.example' },
    { full_name: 'Ana Lima' },
    ['same_name'],
  ],
])('what speaks for one person: %s', async (_, one, other, reasons) => {
  expect(await reasonsFor(one, other)).toEqual(reasons);
});

test.each<[string, Fields, Fields]>([
  [
    'colleagues with names of their own',
    { full_name: 'Paula Souza', email: 'paula@firm.example' },
    { full_name: 'Paulo Souza', email: 'paulo@firm.example' },
  ],
  [
    'somebody who mentions another one',
    { full_name: 'Ana Lima', email: 'ana@firm.example' },
    { full_name: 'Bo Berg', custom_attributes: { manager: 'ana@firm.example' } },
  ],
  [
    'similar names at a service for everybody',
    { full_name: 'Ana Gonçalves', email: 'ana.g@gmail.com' },
    { full_name: 'Ana Gonzalves', email: 'gonzalves@gmail.com' },
  ],
  ['phones of one digit', { full_name: 'Ana', phone: '+5511999999999' }, { phone: '99999999' }],
  ['contacts without anything', {}, {}],
])('nothing speaks for it: %s', async (_, one, other) => {
  expect(await reasonsFor(one, other)).toEqual([]);
});

test('namesakes are no duplicates where many people have such a name, unless more speaks for it', async () => {
  const firsts = ['Ana', 'Bia', 'Caio', 'Davi', 'Eva', 'Fabio'];
  const lasts = ['Silva', 'Souza', 'Costa', 'Lima', 'Alves', 'Rocha'];
  const records = firsts.flatMap((first) =>
    lasts.map((last) => ({ full_name: `${first} ${last}` })),
  );
  const twice = ['Ana Silva', 'Bia Costa', 'Caio Lima', 'Davi Rocha'].map((full_name) => ({
    full_name,
  }));
  await w.rest.post('/contacts/batch', { operation: 'create', records: [...records, ...twice] });
  const one = await w.contact({ full_name: 'Eva Alves', phone: '+5511987654321' });
  const other = await w.contact({ full_name: 'Eva Alves', phone: '+5521987654321' });
  const [first, ...rest] = await groups();
  expect(first).toEqual({ ids: [one.id, other.id], reasons: ['same_name_and_phone_end'] });
  expect(rest.length).toBeLessThan(2);
});

test('groups are as probable as what connects them, the most probable first, in pages of two statements', async () => {
  const name = { full_name: 'Ana Lima' };
  const weak = [await w.contact(name), await w.contact({ ...name, email: 'ana@y.example' })];
  const three = [
    await w.contact({ full_name: 'Bo Berg', email: 'bo.berg@firm.example' }),
    await w.contact({ full_name: 'Bo', email: 'bo.berg+1@firm.example' }),
    await w.contact({ full_name: 'B. Berg', email: 'boberg@firm.example' }),
  ];
  service.statements.length = 0;
  const first = await list('?per_page=1');
  expect(service.statements).toHaveLength(2);
  expect(first.body).toEqual({
    data: [
      {
        contacts: three.map(({ id, email, full_name }) => ({
          ...{ id, full_name, email, phone: '', label_list: [], custom_attributes: {} },
          ...{ created_at: expect.any(String), updated_at: expect.any(String) },
        })),
        reasons: ['same_mailbox', 'similar_name_same_domain'],
      },
    ],
    pagination: {
      page: 1,
      items: 1,
      count: 2,
      pages: 2,
      from: 1,
      last: 2,
      to: 1,
      prev: null,
      next: 2,
    },
  });
  const { body } = await list('?page=2&per_page=1');
  expect(body.data.map(({ contacts }) => contacts.map(({ id }) => id))).toEqual([
    weak.map(({ id }) => id),
  ]);
  expect((await list('?page=3&per_page=1')).body.data).toEqual([]);
});

test('the contacts of an account are counted once, however far a page looks', async () => {
  await service.database.query(
    `INSERT INTO contacts (account_id, full_name)
      SELECT $1, 'Person ' || n FROM generate_series(1, 600) AS n, generate_series(1, 2)`,
    [w.accountId],
  );
  service.statements.length = 0;
  expect((await list('?per_page=100')).status).toBe(200);
  const searches = service.statements.filter((statement) => statement.includes('AS candidates'));
  expect(searches.map((statement) => statement.includes('counted'))).toEqual([true, false]);
});

test('GraphQL shows the same, and of the contacts what it is asked for', async () => {
  const one = await w.contact({ full_name: 'Ana', email: unique('ana').replace('@', '+1@') });
  const other = await w.contact({ email: String(one.email).replace('+1@', '+2@') });
  await w.deal({ contact_id: one.id, name: 'Desk' });
  const answer = await w.graphql.data(
    `query ($account_id: Integer!) { contact_duplicates(account_id: $account_id) {
      data { contacts { id deals { name } } reasons } pagination { count counted } } }`,
    { account_id: w.accountId },
  );
  expect(answer).toEqual({
    contact_duplicates: {
      data: [
        {
          contacts: [
            { id: one.id, deals: [{ name: 'Desk' }] },
            { id: other.id, deals: [] },
          ],
          reasons: ['same_mailbox'],
        },
      ],
      pagination: { count: 1, counted: 'exact' },
    },
  });
});

test('a change of a contact, its removal and a merge are followed at once', async () => {
  const email = 'ana@firm.example';
  const one = await w.contact({ full_name: 'Ana', email });
  const other = await w.contact({ full_name: 'Bo' });
  expect(await groups()).toEqual([]);
  await w.rest.put(`/contacts/${other.id}`, { email: 'ana+x@firm.example' });
  expect((await groups()).map(({ ids }) => ids)).toEqual([[one.id, other.id]]);
  await w.rest.put(`/contacts/${other.id}`, { email: '' });
  expect(await groups()).toEqual([]);
  await w.rest.put(`/contacts/${other.id}`, {
    full_name: 'Ana',
    custom_attributes: { mail: email },
  });
  expect(await groups()).toHaveLength(1);
  await w.rest.post(`/contacts/${one.id}/merge`, { from: [other.id] });
  expect(await groups()).toEqual([]);
});

test('pages are refused as everywhere, and there is nothing of another account', async () => {
  await w.contact({ email: 'ana@firm.example' });
  const stranger = await world(service);
  await stranger.contact({ email: 'ana+1@firm.example' });
  expect(await groups()).toEqual([]);
  const refused = await list('?page=0&per_page=101');
  expect([refused.status, refused.body]).toEqual([
    422,
    expect.objectContaining({
      fields: {
        page: ['must be greater than or equal to 1'],
        per_page: ['must be less than or equal to 100'],
      },
    }),
  ]);
});

test('contacts that were there before they had keys get these in the background', async () => {
  const one = await w.contact({ email: 'ana@firm.example' });
  const other = await w.contact({ email: 'ana+1@firm.example' });
  const { database } = service;
  // As a row of the version before.
  await database.query('ALTER TABLE contacts DISABLE TRIGGER key_updated_2');
  await database.query(
    'UPDATE contacts SET colleague_key = NULL, mailbox_key = NULL WHERE account_id = $1',
    [w.accountId],
  );
  await database.query('ALTER TABLE contacts ENABLE TRIGGER key_updated_2');
  expect(await groups()).toEqual([]);
  const updated = async () => (await w.rest.get<Fields>(`/contacts/${one.id}`)).body.updated_at;
  const before = await updated();
  const db = await openDatabase({ url: database.url, poolSize: 1 });
  expect(await keyContacts(db).do(new Date())).toEqual({ rows: 2 });
  await db.close();
  expect((await groups()).map(({ ids }) => ids)).toEqual([[one.id, other.id]]);
  expect(await updated()).toBe(before);
});
