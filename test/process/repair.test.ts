/** What former rules stored is found by `crm doctor`, and mended by `crm doctor --repair`. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { runHere } from '../kit/shared.ts';
import { type Input, type World, world } from '../kit/world.ts';
import { revert } from '../undo/revert.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  await service.database.query("UPDATE accounts SET default_country = 'DE' WHERE id = $1", [
    w.accountId,
  ]);
});
afterAll(() => service.close());

interface Review {
  readonly found: number;
  readonly repaired: number;
  readonly examples: readonly Input[];
  readonly collisions: readonly Input[];
  readonly request_id: string | null;
}

async function doctor(...args: string[]): Promise<Review> {
  const { out } = await runHere(['doctor', ...args], {
    DATABASE_URL: service.database.url,
    JWT_SECRET: 'x'.repeat(32),
  });
  return JSON.parse(out).database.records;
}

/** A contact as a former version stored it. */
async function stored(fields: Input): Promise<number> {
  const { id } = await w.contact();
  for (const [column, value] of Object.entries(fields)) {
    await service.database.query(`UPDATE contacts SET ${column} = $2 WHERE id = $1`, [id, value]);
  }
  return id;
}

const decomposed = 'Zoe\u0308';

test('the name of an account is mended, and put back unless it was changed since', async () => {
  const { accountId } = await world(service);
  const read = async () => {
    const [row] = await service.database.query('SELECT name FROM accounts WHERE id = $1', [
      accountId,
    ]);
    return row?.['name'];
  };
  const rename = (name: string) =>
    service.database.query('UPDATE accounts SET name = $2 WHERE id = $1', [accountId, name]);
  await rename(decomposed);
  const found = { account: accountId, record: 'account', id: accountId, field: 'name' };
  const example = { ...found, stored: decomposed, becomes: 'Zo\u00eb' };
  expect((await doctor()).examples).toContainEqual(example);
  expect(await read()).toBe(decomposed);
  const { request_id } = await doctor('--repair');
  expect(await read()).toBe('Zo\u00eb');
  const entries = await service.database.query(
    `SELECT action, user_id, before, after FROM audit_entries WHERE account_id = $1 AND request_id = $2`,
    [accountId, request_id],
  );
  expect(entries).toEqual([
    {
      action: 'account.update',
      user_id: null,
      before: { name: decomposed },
      after: { name: 'Zo\u00eb' },
    },
  ]);
  await doctor('--undo', String(request_id));
  expect(await read()).toBe(decomposed);
  const again = await doctor('--repair');
  await rename('Another one');
  expect(await doctor('--undo', String(again.request_id))).toMatchObject({ changed_since: 1 });
  expect(await read()).toBe('Another one');
});

test('phones and texts of former rules are found, mended, and can be put back; collisions are listed', async () => {
  const good = await stored({ phone: '+4930123456', full_name: 'Zo\u00eb', label_list: ['VIP'] });
  const holder = await stored({ phone: '+5511912345678' });
  const phones: readonly (readonly [string, string])[] = [
    ['\u2068+14155552671\u2069', '+14155552671'],
    ['+494915112345678', '+4915112345678'],
    ['+5215512345678', '+525512345678'],
    ['(+55) 21 91234-5678', '+5521912345678'],
    ['+999 12 34', '+9991234'],
  ];
  const ids: number[] = [];
  for (const [phone] of phones) ids.push(await stored({ phone }));
  const named = await stored({
    full_name: decomposed,
    label_list: [decomposed, 'Zo\u00eb', '\u200b', 'κωστας', 'ΚΩΣΤΑΣ'],
  });
  const nameless = await stored({ full_name: '\u200b\u2060' });
  const taken = await stored({ phone: 'tel:+55-11-91234-5678', full_name: decomposed });
  const product = await w.product();
  await service.database.query('UPDATE products SET name = $2 WHERE id = $1', [
    product.id,
    decomposed,
  ]);
  const contents = () =>
    service.database.query(
      `SELECT id, full_name, phone, label_list FROM contacts WHERE account_id = $1 ORDER BY id`,
      [w.accountId],
    );
  const before = await contents();
  const collision = {
    account: w.accountId,
    record: 'contact',
    id: taken,
    field: 'phone',
    stored: 'tel:+55-11-91234-5678',
    becomes: '+5511912345678',
    contact_id: holder,
  };

  const found = await doctor();
  expect(found).toMatchObject({ found: 9, repaired: 0, request_id: null });
  expect(found.collisions).toEqual([collision]);
  expect(found.examples).toContainEqual({
    account: w.accountId,
    record: 'contact',
    id: ids[0],
    field: 'phone',
    stored: phones[0]?.[0],
    becomes: phones[0]?.[1],
  });
  expect(await contents()).toEqual(before);

  const mended = await doctor('--repair');
  expect(mended).toMatchObject({ found: 9, repaired: 9, collisions: [collision] });
  const after = new Map(
    (await contents()).map(({ id, ...fields }) => [Number(id), fields] as const),
  );
  expect(ids.map((id) => after.get(id)?.['phone'])).toEqual(phones.map(([, now]) => now));
  expect(after.get(named)).toMatchObject({
    full_name: 'Zo\u00eb',
    label_list: ['Zo\u00eb', 'κωστας'],
  });
  expect(after.get(nameless)).toMatchObject({ full_name: '' });
  expect(after.get(taken)).toMatchObject({ full_name: 'Zo\u00eb', phone: collision.stored });
  expect(after.get(good)).toMatchObject({ phone: '+4930123456', full_name: 'Zo\u00eb' });
  const entries = await service.database.query(
    `SELECT action, user_id FROM audit_entries WHERE account_id = $1 AND request_id = $2 ORDER BY id`,
    [w.accountId, mended.request_id],
  );
  expect(entries).toHaveLength(9);
  expect(entries[0]).toMatchObject({ action: 'contact.update', user_id: null });

  expect(await doctor('--repair')).toMatchObject({ found: 1, repaired: 0, request_id: null });
  const { reverted } = await revert(w, { request_id: mended.request_id });
  expect(reverted).toBe(9);
  expect(await contents()).toEqual(before);
});

test('texts of many lines, and those of users and webhooks, are mended, and put back where nothing changed them since', async () => {
  const other = await world(service);
  const { id } = await other.product();
  const webhook = await other.rest.post<{ id: number }>('/webhooks', {
    url: 'https://receiver.example/',
    events: ['*'],
  });
  expect(webhook.status).toBe(201);
  const write = (table: string, column: string, of: number, value = decomposed) =>
    service.database.query(`UPDATE ${table} SET ${column} = $2 WHERE id = $1`, [of, value]);
  await write('products', 'description', id);
  await write('users', 'full_name', other.member.id);
  await write('webhooks', 'description', webhook.body.id);
  const values = async () => {
    const [row] = await service.database.query(
      `SELECT (SELECT description FROM products WHERE id = $1) AS product,
         (SELECT full_name FROM users WHERE id = $2) AS member,
         (SELECT description FROM webhooks WHERE id = $3) AS webhook`,
      [id, other.member.id, webhook.body.id],
    );
    return row;
  };
  const before = { product: decomposed, member: decomposed, webhook: decomposed };
  expect(await values()).toEqual(before);
  const { request_id, repaired } = await doctor('--repair');
  expect(await values()).toEqual({
    product: 'Zo\u00eb',
    member: 'Zo\u00eb',
    webhook: 'Zo\u00eb',
  });
  const entries = await service.database.query(
    `SELECT action, record_id::int FROM audit_entries WHERE account_id = $1 AND request_id = $2 ORDER BY id`,
    [other.accountId, request_id],
  );
  expect(entries).toEqual([
    { action: 'product.update', record_id: id },
    { action: 'user.update', record_id: other.member.id },
    { action: 'webhook.update', record_id: webhook.body.id },
  ]);
  // A reversal of a token's writes leaves users and settings alone.
  expect(await revert(other, { request_id })).toMatchObject({ reverted: 1, conflicts: [] });
  expect(await values()).toEqual({ product: decomposed, member: 'Zo\u00eb', webhook: 'Zo\u00eb' });
  await write('webhooks', 'description', webhook.body.id, 'Another one');
  const left = { undone: repaired - 2, changed_since: 2 };
  expect(await doctor('--undo', String(request_id))).toEqual(left);
  const after = { product: decomposed, member: decomposed, webhook: 'Another one' };
  expect(await values()).toEqual(after);
  const undone = { undone: 0, changed_since: repaired };
  expect(await doctor('--undo', String(request_id))).toEqual(undone);
  expect(await values()).toEqual(after);
});

test('only a repair is put back by the command', async () => {
  const { code, err } = await runHere(['doctor', '--undo', '5b0f6a5e-3c1d-4a57-9a53-1d2f5f0f3c11']);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining('It is not that of a repair.'),
  });
});
