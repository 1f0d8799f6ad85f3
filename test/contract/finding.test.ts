/** `q`: what people type, found as they mean it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Stored } from '../kit/records.ts';
import { lacking } from '../kit/refusals.ts';
import type { Rest } from '../kit/rest.ts';
import { type Service, startService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { issue } from '../kit/tokens.ts';
import { type World, world } from '../kit/world.ts';

const { openDatabase } = await shipped<typeof import('../../src/db/open.ts')>('db/open.js');
const { foldRows } = await shipped<typeof import('../../src/resources/folding/fold_rows.ts')>(
  'resources/folding/fold_rows.js',
);

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
}, 30_000);
afterAll(() => service.close());

type Query = Readonly<Record<string, unknown>>;

/** The ids that a search finds, in order. */
async function ids(query: Query, kind = 'contacts', rest: Rest = w.rest): Promise<number[]> {
  const answer = await rest.post<Page<Stored>>(`/${kind}/search`, { query, per_page: 100 });
  expect(answer).toAnswer(200);
  return answer.body.data.map(({ id }) => id);
}

describe('a contact is found by what people type', () => {
  let joao: number;
  beforeAll(async () => {
    joao = (
      await w.contact({
        full_name: 'João Gonçalves',
        email: 'jg@primeira.example',
        phone: '+5511987654321',
        label_list: ['Região Sul'],
      })
    ).id;
    await w.contact({ full_name: 'Joana Prado' });
  });

  test.each([
    ['goncalves'],
    ['joao goncalves'],
    ['Gonçalves João'],
    ['GONÇALVES'],
    ['  joão   gonç '],
    ['Ｇｏｎｃａｌｖｅｓ'],
    ['joa\u0303o'],
    ['jg@primeira'],
    ['regiao sul joao'],
    ['+5511987654321'],
    ['98765 4321'],
    ['11 98765-4321'],
    ['(11) 98765-4321'],
    ['goncalves 98765-4321'],
  ])('%j', async (q) => {
    expect(await ids({ q })).toEqual([joao]);
  });

  test.each([['jose goncalves xyz'], ['goncalves 98765-4322 qqq']])(
    'and by no word that is not there: %j',
    async (q) => {
      expect(await ids({ q, s: 'id' })).toEqual([]);
    },
  );

  test('wildcards are what they look like', async () => {
    const { id } = await w.contact({ full_name: '100%_of\\it' });
    expect(await ids({ q: '100%_' })).toEqual([id]);
    expect(await ids({ q: '_of\\i' })).toEqual([id]);
    expect(await ids({ q: '1%_of', s: 'id' })).toEqual([]);
  });
});

test('a national number finds the one of the account’s country', async () => {
  const german = await world(service);
  await service.database.query(`UPDATE accounts SET default_country = 'DE' WHERE id = $1`, [
    german.accountId,
  ]);
  const rest = german.restAs(await issue(service.database, german.admin));
  const { id } = await german.contact({ phone: '+4915112345678' });
  for (const q of ['0151 12345678', '015112345678', '0151/123 45678', '0151 123', '+49 151 123']) {
    expect([q, await ids({ q }, 'contacts', rest)]).toEqual([q, [id]]);
  }
});

describe('the best come first', () => {
  test('equal, beginning, each word beginning one, contained; by id among these', async () => {
    const names = ['Roslindas', 'Bo Lindas', 'Linda Bo', 'Linda', 'Aslinda', 'Lindamir', 'linda'];
    const made: number[] = [];
    for (const full_name of names) made.push((await w.contact({ full_name })).id);
    const order = [3, 6, 2, 5, 1, 0, 4].map((at) => made[at]);
    expect(await ids({ q: 'linda' })).toEqual(order);
    expect(await ids({ q: 'linda', s: 'id desc' })).toEqual([...made].reverse());
    const walked: number[] = [];
    let after: string | undefined;
    do {
      const body = { query: { q: 'linda' }, per_page: 2, ...(after && { after }) };
      const answer = await w.rest.post<Page<Stored>>('/contacts/search', body);
      expect(answer).toAnswer(200);
      walked.push(...answer.body.data.map(({ id }) => id));
      const next = answer.headers['x-next-cursor'];
      after = next === undefined ? undefined : String(next);
    } while (after !== undefined);
    expect(walked).toEqual(order);
  });

  test('a label, an address or a phone is a field as a name is', async () => {
    const inside = await w.contact({ full_name: 'Not quirk1' });
    const label = await w.contact({ label_list: ['other', 'Quirk1'] });
    expect(await ids({ q: 'quirk1' })).toEqual([label.id, inside.id]);
  });
});

describe('it stands beside every other key', () => {
  test('and of all, whatever m says', async () => {
    const one = await w.contact({ full_name: 'Besides One', email: 'besides.one@example.com' });
    const two = await w.contact({ full_name: 'Besides Two' });
    const email_eq = 'besides.one@example.com';
    expect(await ids({ q: 'besides', email_eq })).toEqual([one.id]);
    const m = 'or';
    expect(await ids({ q: 'besides', m, email_eq, full_name_eq: 'Besides Two' })).toEqual([
      one.id,
      two.id,
    ]);
    expect(await ids({ q: 'besides', m, full_name_eq: 'Nobody', email_eq: 'x@y.example' })).toEqual(
      [],
    );
  });

  test.each([[''], ['   '], [null], [[]], ['\u0301']])('%j asks for nothing', async (q) => {
    expect(await ids({ q, full_name_eq: 'Besides One' })).toHaveLength(1);
  });

  test.each<[string, Query, Query]>([
    ['in g', { g: [{ q: 'x' }] }, { q: ['does not stand at the top of the query'] }],
    [
      'in c',
      { c: [{ a: ['q'], p: 'eq', v: ['x'] }] },
      { c: ['"q" is not a searchable attribute'] },
    ],
    ['as a list', { q: ['x'] }, { q: ['takes one value, not a list'] }],
    ['as an object', { q: { a: 1 } }, { q: ['is not a text'] }],
    ['too long', { q: 'x'.repeat(256) }, { q: ['is too long (maximum is 255 characters)'] }],
    ['of nine words', { q: 'a b c d e f g h i' }, { q: ['has more than 8 words'] }],
    ['with NUL', { q: 'a\0' }, { q: [expect.any(String)] }],
  ])('refused %s', async (_, query, fields) => {
    const answer = await w.rest.post('/contacts/search', { query });
    expect(answer).toAnswer(422, expect.objectContaining({ fields }));
  });

  test('255 characters and eight words are taken', async () => {
    expect(await ids({ q: '😀'.repeat(255), s: 'id' })).toEqual([]);
    expect(await ids({ q: 'a b c d e f g xyzzy', s: 'id' })).toEqual([]);
  });

  test('what has no texts to find it by knows no q', async () => {
    const answer = await w.rest.post('/stages/search', { query: { q: 'x' } });
    expect(answer).toAnswer(422);
  });
});

describe('deals', () => {
  let deal: number;
  beforeAll(async () => {
    const { id: contact_id } = await w.contact({
      full_name: 'Zoë Müller',
      email: 'hid@example.com',
    });
    deal = (await w.deal({ contact_id, name: 'Größere Küche' })).id;
    await w.deal({ contact_id, name: 'Anbau' });
  });

  test.each([
    ['kuche'],
    ['grossere kuche'],
    ['muller kuche'],
    ['kuche zoe'],
    ['zoe muller GRÖSSERE'],
  ])('are found by their name and their contact’s: %j', async (q) => {
    expect(await ids({ q }, 'deals')).toEqual([deal]);
  });

  test('by nothing else of the contact', async () => {
    expect(await ids({ q: 'hid@example.com', s: 'id' }, 'deals')).toEqual([]);
  });

  test('by the name that the contact has now', async () => {
    const { id: contact_id } = await w.contact({ full_name: 'Formerly' });
    const { id } = await w.deal({ contact_id, name: 'Renamed' });
    expect(await ids({ q: 'formerly renamed' }, 'deals')).toEqual([id]);
    expect(await w.rest.put(`/contacts/${contact_id}`, { full_name: 'Nowadays' })).toAnswer(200);
    expect(await ids({ q: 'formerly renamed', s: 'id' }, 'deals')).toEqual([]);
    expect(await ids({ q: 'nowadays' }, 'deals')).toEqual([id]);
  });

  test('the best first, be it by their contact', async () => {
    const rank = await w.contact({ full_name: 'Xaver' });
    const first = await w.deal({ name: 'Yacht Xaver', contact_id: rank.id });
    const other = await w.contact({ full_name: 'Other' });
    const inside = await w.deal({ name: 'Alexaverage', contact_id: other.id });
    const starts = await w.deal({ name: 'xavering', contact_id: other.id });
    expect(await ids({ q: 'xaver' }, 'deals')).toEqual([first.id, starts.id, inside.id]);
  });

  test('take the right to read contacts', async () => {
    const token = await issue(service.database, w.admin, { scopes: ['deals:read'] });
    const answer = await w.restAs(token).post('/deals/search', { query: { q: 'kuche' } });
    expect(answer).toAnswer(403, lacking('contacts:read'));
  });
});

test('products by name and identifier, users by name and e-mail', async () => {
  const { id } = await w.product({ name: 'Überdachung', identifier: 'SKU-77é' });
  expect(await ids({ q: 'sku-77e uberd' }, 'products')).toEqual([id]);
  const user = await w.user({ full_name: 'Łukasz Żak', email: 'lz@found.example' });
  expect(await ids({ q: 'lukasz zak' }, 'users')).toEqual([user.id]);
  expect(await ids({ q: 'found.example' }, 'users')).toEqual([user.id]);
});

test('another account’s records are never found', async () => {
  const other = await world(service);
  await other.contact({ full_name: 'Confidential Person' });
  expect(await ids({ q: 'confidential' })).toEqual([]);
});

describe('rows that are not folded, or by another table,', () => {
  test('are found as they are, until they are folded in the background', async () => {
    const { database } = service;
    const one = await w.contact({ full_name: 'Öld Ròw', label_list: ['Früher'] });
    const two = await w.contact({ full_name: 'Öld Ròw' });
    const { id: deal } = await w.deal({ contact_id: two.id, name: 'Ältere' });
    // As the version before left them, and one of another table.
    await database.query('ALTER TABLE contacts DISABLE TRIGGER USER');
    await database.query(
      `UPDATE contacts SET folded_by = NULLIF(id, $1) * 0, folded = NULLIF('other', id::text) WHERE account_id = $2`,
      [one.id, w.accountId],
    );
    await database.query('ALTER TABLE contacts ENABLE TRIGGER USER');
    const db = await openDatabase({ url: database.url, poolSize: 1 });
    const chore = () => foldRows(db).do(new Date());
    const queries = async () => [
      await ids({ q: 'old row' }),
      await ids({ q: 'fruher old' }),
      await ids({ q: 'row altere' }, 'deals'),
    ];
    expect(await queries()).toEqual([[one.id, two.id], [one.id], [deal]]);
    expect(await ids({ full_name_or_email_cont: 'Öld ròw' })).toEqual([one.id, two.id]);
    const rest = await w.count('contacts');
    expect(await chore()).toEqual({ rows: rest });
    expect(await chore()).toBeUndefined();
    await db.close();
    expect(await queries()).toEqual([[one.id, two.id], [one.id], [deal]]);
    const [row] = await database.query('SELECT folded, folded_by FROM contacts WHERE id = $1', [
      one.id,
    ]);
    expect(row).toEqual({
      folded: 'Q Qold rowQ QfruherQ Q',
      folded_by: 1,
    });
  });
});

test('exports and boards take it', async () => {
  const { id: contact_id } = await w.contact({ full_name: 'Éxport Board' });
  const { id } = await w.deal({ contact_id, name: 'Of the board' });
  const exported = await w.rest.get('/contacts/export?query[q]=export+board');
  expect(
    exported.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
  ).toEqual([contact_id]);
  const board = await w.graphql.send(
    `{ pipeline_board(account_id: ${w.accountId}, pipeline_id: ${w.pipelineId}, query: { q: "export" }) { stages { count deals { id } } } }`,
  );
  expect(JSON.stringify(board)).toContain(String(id));
});

test('lists within a record take it, the best first', async () => {
  const { id: contact_id } = await w.contact({ full_name: 'Nested' });
  const late = await w.deal({ contact_id, name: 'A küche' });
  const first = await w.deal({ contact_id, name: 'Küchen' });
  await w.deal({ contact_id, name: 'Other' });
  const { contact } = await w.graphql.data<{ contact: unknown }>(
    `{ contact(account_id: ${w.accountId}, id: ${contact_id}) {
      deals(query: { q: "kuche" }) { id } deals_count(query: { q: "kuche" }) } }`,
  );
  expect(contact).toEqual({ deals: [{ id: first.id }, { id: late.id }], deals_count: 2 });
});

describe('where nothing has every word, what is similar is found', () => {
  let own: World;
  const made: Record<string, number> = {};
  const names = ['João Gonçalves', 'Maria Fernandes', 'Ana Lima', 'Christopher Anderson', 'Jose'];
  beforeAll(async () => {
    own = await world(service);
    for (const full_name of names) made[full_name] = (await own.contact({ full_name })).id;
    const contact_id = made['Maria Fernandes'];
    made.deal = (await own.deal({ contact_id, name: 'Kitchen renovation' })).id;
    made.product = (await own.product({ name: 'Dishwasher', identifier: 'DW-1000' })).id;
  });

  const search = (q: string, kind = 'contacts', more: Query = {}) =>
    own.rest.post<Page<Stored>>(`/${kind}/search`, { query: { q, ...more } });

  test.each([
    ['gonçalvez', 'João Gonçalves'],
    ['joao goncalvez', 'João Gonçalves'],
    ['goncalvess joao', 'João Gonçalves'],
    ['gonclaves', 'João Gonçalves'],
    ['gocalves', 'João Gonçalves'],
    ['gonzalvez', 'João Gonçalves'],
    ['fernadnes', 'Maria Fernandes'],
    ['maira fernandes', 'Maria Fernandes'],
    ['lina', 'Ana Lima'],
    ['limma', 'Ana Lima'],
    ['ana lmia', 'Ana Lima'],
    ['cristopher', 'Christopher Anderson'],
    ['christofer', 'Christopher Anderson'],
    ['kristopher', 'Christopher Anderson'],
    ['andreson chris', 'Christopher Anderson'],
    ['josee', 'Jose'],
  ])('%s is %s', async (q, name) => {
    const answer = await search(q);
    expect(answer.body.data.map(({ id }) => id)).toEqual([made[name]]);
    expect(answer.headers['x-match']).toBe('similar');
    expect(answer.body.pagination).toMatchObject({ count: 1, items: 1, pages: 1, next: null });
  });

  test.each([['anx'], ['xosx'], ['goncxxxes'], ['lxma xao'], ['fernxxdxs']])(
    '%s is too far from everything',
    async (q) => {
      const answer = await search(q);
      expect(answer.body.data).toEqual([]);
      expect(answer.headers['x-match']).toBeUndefined();
    },
  );

  test('deals by their name and their contact’s, products by theirs', async () => {
    const ids = async (q: string, kind: string) =>
      (await search(q, kind)).body.data.map(({ id }) => id);
    expect(await ids('kitchem', 'deals')).toEqual([made.deal]);
    expect(await ids('fernandez kichen', 'deals')).toEqual([made.deal]);
    expect(await ids('dishwaser', 'products')).toEqual([made.product]);
    expect(await ids('dw-100x', 'products')).toEqual([made.product]);
  });

  test('what is found exactly is not', async () => {
    const { headers } = await search('goncalves');
    expect(headers['x-match']).toBeUndefined();
  });

  test('nothing with a sort, in an export or behind a cursor', async () => {
    expect((await search('gonçalvez', 'contacts', { s: 'id' })).body.data).toEqual([]);
    const exported = await own.rest.get('/contacts/export?query[q]=gon%C3%A7alvez');
    expect(exported.text).toBe('');
  });

  test('what meets the other conditions alone', async () => {
    expect((await search('gonçalvez', 'contacts', { id_lt: 1 })).body.data).toEqual([]);
  });

  test('GraphQL says so of the page', async () => {
    const matchOf = async (q: string) =>
      (
        await own.graphql.data<{ contacts: { match: string } }>(
          'query ($account: Integer!, $q: SearchQuery) { contacts(account_id: $account, query: $q) { match data { id } } }',
          { account: own.accountId, q: { q } },
        )
      ).contacts.match;
    expect(await matchOf('gonçalvez')).toBe('SIMILAR');
    expect(await matchOf('gonçalves')).toBe('EXACT');
    expect(await matchOf('qwertyuiop')).toBe('EXACT');
  });

  test('50 at most, the most similar first, page by page', async () => {
    const many = await world(service);
    await service.database.query(
      `INSERT INTO contacts (account_id, full_name)
       SELECT $1, CASE WHEN n % 2 = 0 THEN 'Similarita ' ELSE 'Similari ' END || n FROM generate_series(1, 70) AS n`,
      [many.accountId],
    );
    const body = { query: { q: 'similaxi' }, per_page: 30 };
    const one = await many.rest.post<Page<Stored>>('/contacts/search', body);
    const two = await many.rest.post<Page<Stored>>('/contacts/search', { ...body, page: 2 });
    const all = [...one.body.data, ...two.body.data];
    expect(all).toHaveLength(50);
    expect(all.slice(0, 35).every((one) => /"Similari /.test(JSON.stringify(one)))).toBe(true);
    expect(two.body.pagination).toMatchObject({ count: 50, items: 20, pages: 2, next: null });
    expect([one, two].map(({ headers }) => headers['x-match'])).toEqual(['similar', 'similar']);
    expect(one.headers['x-next-cursor']).toBeUndefined();
  });

  describe('among more than are looked at one by one', () => {
    let many: World;
    beforeAll(async () => {
      many = await world(service);
      await service.database.query(
        `INSERT INTO contacts (account_id, full_name, email)
         SELECT $1, CASE n WHEN 1500 THEN 'Zulmira Hrabinska' ELSE 'Anderson Pereira ' || n END, 'c' || n || '@primeira.example'
         FROM generate_series(1, 1500) AS n`,
        [many.accountId],
      );
    });

    const names = async (q: string, more: Query = {}) => {
      const answer = await many.rest.post<Page<{ full_name: string }>>('/contacts/search', {
        query: { q, ...more },
      });
      expect(answer.headers['x-match']).toBe(answer.body.data.length > 0 ? 'similar' : undefined);
      return answer.body.data.map(({ full_name }) => full_name);
    };

    test.each([
      ['zulmria'],
      ['hrabinsca'],
      ['hrabynsca'],
      ['zulmira hrabisnka'],
      ['zulmyra hrabinska'],
      ['hrebinzka'],
      ['hrapinzka zulmyra'],
      ['c1500@primeria.example'],
    ])('a rare one as %s', async (q) => {
      expect(await names(q)).toEqual(['Zulmira Hrabinska']);
      expect(await names(q, { id_gt: 0 })).toEqual(['Zulmira Hrabinska']);
      expect(await names(q, { id_lt: 0 })).toEqual([]);
    });

    test('of what many have the first', async () => {
      const first = Array.from({ length: 10 }, (_, n) => `Anderson Pereira ${n + 1}`);
      expect(await names('andesron')).toEqual(first);
      expect(await names('andesron pereria 1')).toHaveLength(10);
      expect((await names('pereyra 1499'))[0]).toBe('Anderson Pereira 1499');
    });
  });
});
