/** What was deleted and is not back is listed, with what it was called. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

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

const document = `query ($account_id: Integer!, $type: String!, $query: SearchQuery, $page: Integer, $per_page: Integer) {
  deleted_records(account_id: $account_id, record_type: $type, query: $query, page: $page, per_page: $per_page) {
    data { record_id name deleted_at user_id restorable }
    pagination { page items count pages next counted }
  }
}`;

interface Deleted {
  readonly deleted_records: {
    readonly data: readonly Fields[];
    readonly pagination: Fields;
  };
}

const list = async (type: string, given: Fields = {}) =>
  (await w.graphql.data<Deleted>(document, { account_id: w.accountId, type, ...given }))
    .deleted_records;
const namesOf = async (type: string, given: Fields = {}) =>
  (await list(type, given)).data.map(({ name }) => name);
const remove = (path: string) => w.rest.delete(path);

test('records are listed by kind with name, time and person, the last deleted first, in one statement', async () => {
  const [one, two] = [
    await w.contact({ full_name: 'Ana' }),
    await w.contact({ full_name: '', phone: '+5511987654321' }),
  ];
  await w.contact({ full_name: 'Still here' });
  const deal = await w.deal({ contact_id: two.id, name: 'Desk' });
  await remove(`/contacts/${one.id}`);
  await remove(`/contacts/${two.id}`);
  service.statements.length = 0;
  const { data, pagination } = await list('contact', { per_page: 1 });
  expect(service.statements).toHaveLength(1);
  const about = { deleted_at: expect.stringMatching(/Z$/), user_id: w.admin.id, restorable: true };
  expect(data).toEqual([{ record_id: two.id, name: '+5511987654321', ...about }]);
  expect(pagination).toEqual({ page: 1, items: 1, count: 2, pages: 2, next: 2, counted: 'exact' });
  expect((await list('contact', { page: 2, per_page: 1 })).data).toEqual([
    { record_id: one.id, name: 'Ana', ...about },
  ]);
  expect((await list('deal')).data).toEqual([{ record_id: deal.id, name: 'Desk', ...about }]);
});

test('what came back is not listed, and what is deleted again once', async () => {
  const { id } = await w.contact({ full_name: 'Ana' });
  await remove(`/contacts/${id}`);
  await w.rest.post(`/contacts/${id}/restore`);
  expect(await namesOf('contact')).toEqual([]);
  await w.rest.put(`/contacts/${id}`, { full_name: 'Anna' });
  await remove(`/contacts/${id}`);
  expect(await namesOf('contact')).toEqual(['Anna']);
});

test('a query chooses by name, time, person and id, and sorts', async () => {
  const ids: number[] = [];
  for (const name of ['Desk', 'Chair', 'Lamp']) ids.push((await w.product({ name })).id);
  for (const id of ids) await remove(`/products/${id}`);
  expect(await namesOf('product')).toEqual(['Lamp', 'Chair', 'Desk']);
  expect(await namesOf('product', { query: { name_cont: 'A', s: 'name asc' } })).toEqual([
    'Chair',
    'Lamp',
  ]);
  expect(await namesOf('product', { query: { record_id_eq: ids[0] } })).toEqual(['Desk']);
  expect(await namesOf('product', { query: { user_id_eq: w.member.id } })).toEqual([]);
  const { data } = await list('product', { query: { record_id_eq: ids[1] } });
  const query = { deleted_at_gteq: data[0]?.deleted_at };
  expect(await namesOf('product', { query })).toEqual(['Lamp', 'Chair']);
});

test('kinds without a way back are listed, and say so', async () => {
  const { body } = await w.rest.post<{ id: number }>('/pipelines', { name: 'Old' });
  await remove(`/pipelines/${body.id}`);
  expect((await list('pipeline')).data).toMatchObject([
    { record_id: body.id, name: 'Old', restorable: false },
  ]);
});

test('what was erased has no name and cannot come back', async () => {
  const marker = 'Erased Person';
  const { id } = await w.contact({ full_name: marker });
  const deal = await w.deal({ contact_id: id, name: marker });
  await remove(`/contacts/${id}`);
  await w.graphql.data(
    'mutation ($a: Integer!, $id: Integer!) { erase_contact(account_id: $a, id: $id) { done } }',
    {
      a: w.accountId,
      id,
    },
  );
  for (const [type, record_id] of [
    ['contact', id],
    ['deal', deal.id],
  ] as const) {
    const answer = await list(type);
    expect(answer.data).toMatchObject([{ record_id, name: null, restorable: false }]);
    expect(await namesOf(type, { query: { name_cont: 'erased' } })).toEqual([]);
  }
});

test('while an erasure is at work, what it is about has no name any more', async () => {
  const { id } = await w.contact({ full_name: 'Ana' });
  const deal = await w.deal({ contact_id: id, name: 'Desk' });
  await remove(`/contacts/${id}`);
  await service.database.query('INSERT INTO erasures (account_id, contact_id) VALUES ($1, $2)', [
    w.accountId,
    id,
  ]);
  expect((await list('contact')).data).toMatchObject([
    { record_id: id, name: null, restorable: false },
  ]);
  expect((await list('deal')).data).toMatchObject([
    { record_id: deal.id, name: null, restorable: false },
  ]);
  await service.database.query('DELETE FROM erasures WHERE account_id = $1', [w.accountId]);
});

test('it is for admins, of their own account, and refuses what it cannot read by field', async () => {
  const given = { account_id: w.accountId, type: 'contact' };
  const refused = async (as: typeof w.graphql, variables: Fields) =>
    (await as.send(document, variables)).body.errors?.[0]?.extensions;
  expect((await refused(w.graphqlAs(w.member.token), given))?.code).toBe('FORBIDDEN');
  const stranger = await world(service);
  expect((await refused(w.graphql, { ...given, account_id: stranger.accountId }))?.code).toBe(
    'NOT_FOUND',
  );
  expect(await refused(w.graphql, { ...given, type: 'tokens', page: 0 })).toMatchObject({
    code: 'INVALID_SEARCH',
    fields: {
      record_type: [expect.stringMatching(/^is not included in the list/)],
      page: [expect.any(String)],
    },
  });
  expect(await refused(w.graphql, { ...given, query: { email_cont: 'x' } })).toMatchObject({
    code: 'INVALID_SEARCH',
  });
});

test('of a long trail only removals are read', async () => {
  const { id } = await w.contact({ full_name: 'Ana' });
  await remove(`/contacts/${id}`);
  await service.database.query(
    `INSERT INTO audit_entries (account_id, action, record_type, record_id, after)
      SELECT $1, 'contact.update', 'contact', 1000000 + n, '{}' FROM generate_series(1, 20000) AS n`,
    [w.accountId],
  );
  await service.database.query('ANALYZE audit_entries');
  expect(await namesOf('contact')).toEqual(['Ana']);
  const plan = await service.database.query(
    `EXPLAIN SELECT FROM audit_entries WHERE account_id = ${w.accountId} AND record_type = 'contact'
      AND action LIKE '%.delete' ORDER BY change_order DESC, id DESC LIMIT 10000`,
  );
  expect(JSON.stringify(plan)).toContain('deletions_idx');
});
