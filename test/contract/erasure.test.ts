/** What is left of a contact that was erased: that somebody changed something, and nothing of what. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Database } from '../../src/db/database.ts';
import type { Progress } from '../../src/resources/erasures/erasure.ts';
import { delivering, startReceiver } from '../kit/receiver.ts';
import { type Service, startService } from '../kit/service.ts';
import { moment } from '../kit/shapes.ts';
import { shipped } from '../kit/shared.ts';
import { until } from '../kit/wait.ts';
import { type Input, type World, world } from '../kit/world.ts';

const { operating } =
  await shipped<typeof import('../../src/context/context.ts')>('context/context.js');
const { openDatabase } = await shipped<typeof import('../../src/db/open.ts')>('db/open.js');
const { raw } = await shipped<typeof import('../../src/db/sql/sql.ts')>('db/sql/sql.js');
const { begin, proceed } = await shipped<typeof import('../../src/resources/erasures/erasure.ts')>(
  'resources/erasures/erasure.js',
);

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService({ env: delivering });
});
afterAll(() => service.close());
beforeEach(async () => {
  w = await world(service);
  marker = `zebedee${w.accountId}`;
});

/** In every text of the person, in whatever form it is stored. */
let marker: string;
let texts = 0;
const marked = () => `${marker} ${(texts += 1)}`;

interface Entry {
  readonly id: number;
  readonly action: string;
  readonly record_id: number;
  readonly before: Input | null;
  readonly after: Input | null;
  readonly user_id: number | null;
  readonly erased_at: string | null;
}

const entries = () =>
  service.database.query<Entry & { told: string }>(
    `SELECT id, action, record_id, before, after, user_id, erased_at,
       concat_ws(' ', id, action, record_id, request_id, created_at::text,
         (SELECT string_agg(name, ' ' ORDER BY at) FROM json_object_keys(before) WITH ORDINALITY AS of (name, at)),
         (SELECT string_agg(name, ' ' ORDER BY at) FROM json_object_keys(after) WITH ORDINALITY AS of (name, at))) AS told
     FROM audit_entries WHERE account_id = $1 ORDER BY id`,
    [w.accountId],
  );

/** Rows that hold such a text, of all tables that there are. */
async function holding(): Promise<readonly string[]> {
  const tables = await service.database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await service.database.query<{ row: string }>(
      `SELECT row::text FROM "${name}" AS row WHERE row::text ILIKE '%' || $1 || '%'`,
      [marker],
    );
    found.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return found;
}

const mutation = `mutation ($account: Integer!, $id: Integer!) {
  erase_contact(account_id: $account, id: $id) { id entries done }
}`;

/** Erases a contact, however long a busy machine takes for that. */
async function erase(id: number) {
  const { erase_contact } = await w.graphql.data<{
    erase_contact: { id: number; entries: number; done: boolean };
  }>(mutation, { account: w.accountId, id });
  const isOver = async () => (await unfinished()).length === 0;
  expect(await until(isOver, Boolean, 20_000)).toBe(true);
  const { done, ...erased } = erase_contact;
  return done ? erased : { ...erased, entries: await emptied() };
}

const emptied = async () => (await entries()).filter(({ erased_at }) => erased_at !== null).length;

/** What is left to do of the account's erasures. */
const unfinished = () =>
  service.database.query(
    `SELECT step FROM erasures WHERE account_id = $1
     UNION ALL SELECT record_type FROM erasure_records WHERE account_id = $1`,
    [w.accountId],
  );

const timelineOf = (dealId: number) =>
  service.database.query<{ kind: string; additional_attributes: Input }>(
    'SELECT kind, additional_attributes FROM events WHERE account_id = $1 AND deal_id = $2 ORDER BY id',
    [w.accountId, dealId],
  );

const person = () => ({
  full_name: marked(),
  email: `${marker}.${(texts += 1)}@example.com`,
  label_list: [marked(), marked()],
  custom_attributes: { [marked()]: { deep: [marked()] } },
});

/** Entries of a deal whose name changes again and again. */
const lengthen = (dealId: number, entries: number) =>
  service.database.query(
    `INSERT INTO audit_entries (account_id, request_id, action, record_type, record_id, before, after)
     SELECT $1, 'r' || n, 'deal.update', 'deal', $2, json_build_object('name', $3 || n), json_build_object('name', $3 || n + 1)
     FROM generate_series(1, $4::int) AS n`,
    [w.accountId, dealId, marker, entries],
  );

/** A database whose transactions are undone before they end. */
const failing = (db: Database): Database => ({
  ...db,
  transaction: (work) =>
    db.transaction(async (tx) => {
      await work(tx);
      throw new Error('killed');
    }),
});

/** A person of whom every text was written twice, and what is beneath, some of which is gone. */
async function known(): Promise<number> {
  const { id: contactId, email } = await w.contact(person());
  await w.rest.post('/contacts/upsert', { email, full_name: marked() });
  await w.rest.put(`/contacts/${contactId}`, person());
  await w.graphql.data(
    `mutation { update_contact(account_id: ${w.accountId}, id: ${contactId}, input: { full_name: "${marked()}" }) { id } }`,
  );
  const deals = await Promise.all(
    [0, 1, 2].map(() =>
      w.deal({ contact_id: contactId, name: marked(), custom_attributes: { x: marked() } }),
    ),
  );
  const note = { kind: 'note', title: marked(), content: 'x'.repeat(60_000) + marked() };
  for (const path of [`contacts/${contactId}`, ...deals.map(({ id }) => `deals/${id}`)]) {
    const written = await w.rest.post<{ id: number }>(`/${path}/events`, note);
    await w.rest.put(`/events/${written.body.id}`, { content: marked(), title: marked() });
  }
  for (const { id } of deals) {
    await w.updateDeal(id, { status: 'lost', lost_reason: marked(), name: marked() });
    const attached = await w.dealProduct({ deal_id: id, product_name: marked() });
    await w.rest.put(`/deal_products/${attached.id}`, { product_identifier: marked() });
  }
  await w.rest.delete(`/deals/${deals[2]?.id}`);
  return contactId;
}

describe('an erasure', () => {
  test('leaves nothing of the contact, and of its trail all but the values', async () => {
    const contactId = await known();
    await w.contact({ full_name: 'Somebody else' });
    const before = await entries();
    const erased = await erase(contactId);
    expect(await holding()).toEqual([]);
    const after = await entries();
    expect(after.slice(0, before.length).map(({ told }) => told)).toEqual(
      before.map(({ told }) => told),
    );
    expect(erased).toEqual({
      id: contactId,
      entries: after.filter(({ erased_at }) => erased_at !== null).length,
    });
    expect(after.find(({ record_id }) => record_id === contactId)?.after).toMatchObject({
      full_name: null,
      email: null,
    });
    expect(JSON.stringify(after)).toContain('Somebody else');
  });

  test('is in the trail with who did it, and without a word of the contact', async () => {
    const { id } = await w.contact({ full_name: marked() });
    await erase(id);
    expect((await entries()).at(-1)).toMatchObject({
      action: 'contact.erase',
      record_id: id,
      before: null,
      after: null,
      user_id: w.admin.id,
      erased_at: null,
    });
    const told = await w.graphql.data(
      `{ audit_entries(account_id: ${w.accountId}, query: { action_eq: "contact.create" }) { data { after erased_at } } }`,
    );
    expect(told).toMatchObject({
      audit_entries: { data: [{ after: { full_name: null }, erased_at: moment }] },
    });
  });

  test('reaches what is kept of a contact that was removed before', async () => {
    const contactId = await known();
    await w.rest.delete(`/contacts/${contactId}`);
    expect(await holding()).not.toEqual([]);
    await erase(contactId);
    expect(await holding()).toEqual([]);
  });

  test('of a deal that has another contact now leaves what it shows, and nothing of before', async () => {
    const { id: contactId } = await w.contact();
    const other = await w.contact();
    const deal = await w.deal({ contact_id: contactId });
    const attached = await w.dealProduct({ deal_id: deal.id });
    await w.updateDeal(deal.id, { name: marked() });
    await w.rest.put(`/deal_products/${attached.id}`, { product_name: marked() });
    const note = await w.rest.post<{ id: number }>(`/deals/${deal.id}/events`, {
      kind: 'note',
      content: marked(),
    });
    await w.updateDeal(deal.id, { contact_id: other.id });
    await w.updateDeal(deal.id, { name: 'Ours', status: 'won' });
    await w.rest.put(`/deal_products/${attached.id}`, { product_name: 'Chair' });
    await w.rest.put(`/events/${note.body.id}`, { content: 'Called' });
    const shown = await w.fetchDeal(deal.id);
    await erase(contactId);
    expect(await holding()).toEqual([]);
    expect(await w.fetchDeal(deal.id)).toEqual(shown);
    const told = (await entries()).filter(({ action }) => action === 'deal.update');
    expect(told.map(({ after }) => after)).toContainEqual(
      expect.objectContaining({ name: 'Ours', status: 'won' }),
    );
    expect(told.find(({ after }) => after?.name === 'Ours')?.before).toMatchObject({ name: null });
  });

  test('of a deal that has another contact now leaves no former name in its timeline', async () => {
    const { id: contactId } = await w.contact();
    const other = await w.contact();
    const deal = await w.deal({ contact_id: contactId, name: marked() });
    const attached = await w.dealProduct({ deal_id: deal.id, product_name: marked() });
    await w.updateDeal(deal.id, { stage_id: w.stageIds[1] });
    await w.updateDeal(deal.id, { status: 'won', name: marked() });
    await w.rest.delete(`/deal_products/${attached.id}`);
    await w.updateDeal(deal.id, { status: 'open', contact_id: other.id, name: 'Ours' });
    const [chair] = [await w.dealProduct({ deal_id: deal.id, product_name: 'Chair' })];
    const before = await timelineOf(deal.id);
    await erase(contactId);
    expect(await holding()).toEqual([]);
    expect(await timelineOf(deal.id)).toEqual(
      before.map(({ kind, additional_attributes: { deal_name, product_name, ...others } }) => ({
        kind,
        additional_attributes: {
          ...others,
          deal_name: deal_name === 'Ours' ? 'Ours' : '',
          ...(product_name !== undefined && {
            product_name: product_name === 'Chair' ? 'Chair' : '',
          }),
        },
      })),
    );
    expect(before.map(({ kind }) => kind)).toEqual([
      ...['deal_opened', 'deal_product_added', 'deal_stage_change', 'deal_won'],
      ...['deal_product_removed', 'deal_reopened', 'deal_product_added'],
    ]);
    const told = (await entries()).filter(({ action }) => action === 'event.update').slice(-5);
    expect(told.map(({ before, after }) => [before, after?.additional_attributes])).toEqual(
      Array.from({ length: 5 }, () => [
        { additional_attributes: null },
        expect.objectContaining({ deal_name: '' }),
      ]),
    );
    expect(await w.rest.get(`/deal_products/${chair.id}`)).toAnswer(200);
  });

  test('leaves no condition of an export as clients wrote it, which older versions recorded', async () => {
    const { id } = await w.contact();
    const old = (...conditions: string[]) => ({ records: 'contacts', total: 1, conditions });
    for (const after of [old(`custom_attributes.${marker}_eq`), old('email_eq', 'label_list_in')]) {
      await service.database.query(
        `INSERT INTO audit_entries (account_id, request_id, action, record_type, record_id, after)
         VALUES ($1, 'before', 'account.export', 'account', $1, $2)`,
        [w.accountId, JSON.stringify(after)],
      );
    }
    await erase(id);
    expect(await holding()).toEqual([]);
    const told = (await entries()).filter(({ action }) => action === 'account.export');
    expect(told.map(({ after, erased_at }) => [after, erased_at !== null])).toEqual([
      [{ records: 'contacts', total: 1, conditions: null }, true],
      [old('email_eq', 'label_list_in'), false],
    ]);
  });

  test('leaves nothing behind of those who write of the contact meanwhile', async () => {
    const { id } = await w.contact(person());
    const deal = await w.deal({ contact_id: id, name: marked() });
    const write = async () => {
      await w.rest.put(`/contacts/${id}`, { full_name: marked() });
      await w.rest.put(`/deals/${deal.id}`, { name: marked() });
      await w.rest.post(`/contacts/${id}/events`, { kind: 'note', content: marked() });
      await w.rest.post(`/deals/${deal.id}/events`, { kind: 'note', content: marked() });
      await w.rest.post('/deals', { contact_id: id, stage_id: w.stageIds[0], name: marked() });
    };
    let ended = false;
    const writers = Array.from({ length: 6 }, async () => {
      while (!ended) await write();
    });
    await Promise.all([write(), write()]);
    await erase(id);
    ended = true;
    await Promise.all(writers);
    expect(await holding()).toEqual([]);
  });

  test('leaves no answer of a receiver that repeats what it is told, however late', async () => {
    const late: (() => void)[] = [];
    let isSlow = false;
    const receiver = await startReceiver((response, { body }) => {
      if (isSlow) late.push(() => response.end(body));
      else response.end(body);
    });
    await w.webhook({ url: receiver.url, events: ['contact.create', 'contact.update'] });
    const answers = async () =>
      (await holding()).filter((row) => row.startsWith('webhook_deliveries')).length;
    const isOne = (count: number) => count === 1;
    const { id } = await w.contact(person());
    expect(await until(answers, isOne, 10_000)).toBe(1);
    isSlow = true;
    await w.rest.put(`/contacts/${id}`, person());
    expect(await until(async () => late.length, isOne, 10_000)).toBe(1);
    await erase(id);
    for (const answer of late) answer();
    const told = () =>
      service.database.query<{ response_body: string | null }>(
        "SELECT response_body FROM webhook_deliveries WHERE account_id = $1 AND status = 'delivered'",
        [w.accountId],
      );
    expect(await until(told, (rows) => rows.length === 2, 10_000)).toEqual([
      { response_body: null },
      { response_body: null },
    ]);
    expect(await holding()).toEqual([]);
    await receiver.close();
  });

  test('leaves no answer of a receiver whose webhook was removed since', async () => {
    const receiver = await startReceiver((response, { body }) => void response.end(body));
    const webhook = await w.webhook({ url: receiver.url, events: ['contact.create'] });
    const { id } = await w.contact(person());
    const isAnswered = async () =>
      (await holding()).some((row) => row.startsWith('webhook_deliveries'));
    expect(await until(isAnswered, Boolean, 10_000)).toBe(true);
    await w.rest.delete(`/webhooks/${webhook.id}`);
    await receiver.close();
    // As entries were written when the trail still recorded deliveries.
    await service.database.query(
      `INSERT INTO audit_entries (account_id, request_id, action, record_type, record_id, before)
       VALUES ($1, 'before', 'webhook_delivery.delete', 'webhook_delivery', 1, json_build_object('response_body', $2::text))`,
      [w.accountId, JSON.stringify(person())],
    );
    await erase(id);
    expect(await holding()).toEqual([]);
  });

  test('goes as well in pieces of two rows, and on from wherever it was interrupted', async () => {
    const contactId = await known();
    const before = await entries();
    const db = await openDatabase({ url: service.database.url });
    const ctx = operating({ db, now: new Date(), requestId: 'in pieces' }, w.accountId);
    const which = await begin(ctx, contactId);
    const size = { rows: 2, bytes: 1000 };
    let pieces = 0;
    let progress: Progress | undefined;
    for (; !progress?.isOver; pieces += 1) {
      // A new run each time, as after an interruption; every other piece is undone, as if it had been killed.
      const next = async (of: Database) => (await proceed(() => of, which, size).next()).value;
      await expect(next(failing(db))).rejects.toThrow('killed');
      progress = (await next(db)) ?? undefined;
    }
    await db.close();
    expect(pieces).toBeGreaterThan(50);
    expect(await holding()).toEqual([]);
    const after = await entries();
    expect(after.slice(0, before.length).map(({ told }) => told)).toEqual(
      before.map(({ told }) => told),
    );
    expect(progress?.entries).toBe(after.filter(({ erased_at }) => erased_at !== null).length);
    expect(after.filter(({ action }) => action === 'contact.erase')).toHaveLength(1);
    expect(await unfinished()).toEqual([]);
  });

  test('of a deal with more entries than a request has time for is finished by the service', async () => {
    const { id } = await w.contact({ full_name: marked() });
    const deal = await w.deal({ contact_id: id, name: marked() });
    await lengthen(deal.id, 1000);
    const db = await openDatabase({ url: service.database.url });
    const ctx = operating({ db, now: new Date(), requestId: 'interrupted' }, w.accountId);
    const which = await begin(ctx, id);
    let emptied = 0;
    // A process that is killed on the way, after which its claim runs out.
    for await (const { entries } of proceed(() => db, which, { rows: 100, bytes: 1e9 })) {
      emptied = entries;
      if (emptied > 300) break;
    }
    expect(emptied).toBeLessThan(600);
    expect(await holding()).not.toEqual([]);
    await db.query(
      raw(`UPDATE erasures SET claimed_until = now() WHERE account_id = ${w.accountId}`),
    );
    const other = await startService({ database: service.database });
    const isErased = async () => (await entries()).at(-1)?.action === 'contact.erase';
    expect(await until(isErased, Boolean, 10_000)).toBe(true);
    expect(await holding()).toEqual([]);
    const after = await entries();
    expect(after.at(-1)).toMatchObject({ record_id: id, erased_at: null });
    expect(after.filter(({ erased_at }) => erased_at !== null).length).toBeGreaterThan(1000);
    await Promise.all([other.close(), db.close()]);
  });

  test('may be repeated', async () => {
    const { id } = await w.contact(person());
    const first = await erase(id);
    expect(await erase(id)).toEqual({ ...first, entries: first.entries + 1 });
  });

  test('of a contact that never was, or is of another account: NOT_FOUND', async () => {
    const other = await world(service);
    const { id } = await other.contact();
    for (const unknown of [id, 999_999_999]) {
      const { body } = await w.graphql.send(mutation, { account: w.accountId, id: unknown });
      expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND']);
    }
    expect(await entries()).toEqual([]);
  });
});
