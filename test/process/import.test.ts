/** Importing files, as an operator does it on the machine and as anybody does it from elsewhere. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { runCommand } from '../kit/command.ts';
import { readCsv } from '../kit/csv.ts';
import { given } from '../kit/environment.ts';
import { caughtUp, changes } from '../kit/feed.ts';
import {
  environmentHere,
  environmentThere,
  importArgs,
  importOverNetwork,
  refusalsIn,
} from '../kit/import_command.ts';
import type { Contact, Deal, Event } from '../kit/records.ts';
import { type Service, startService } from '../kit/service.ts';
import { runHere } from '../kit/shared.ts';
import { type World, world } from '../kit/world.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(60_000);

let service: Service;
let account: World;
let directory: string;
beforeAll(async () => {
  service = await startService();
  directory = await mkdtemp(join(tmpdir(), 'import-'));
});
beforeEach(async () => {
  account = await world(service);
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

const here = () => environmentHere(service);
const there = () => environmentThere(account);

let files = 0;
async function fileOf(content: string | Buffer): Promise<string> {
  const path = join(directory, `file-${++files}.csv`);
  await writeFile(path, content);
  return path;
}

const argsOf = (records: string, file: string, more: readonly string[] = []) =>
  importArgs(account, records, file, more);

const importHere = (records: string, file: string, ...more: string[]) =>
  runHere(argsOf(records, file, more), here());

const importByProcess = (records: string, file: string, ...more: string[]) =>
  runCommand(argsOf(records, file, ['--url', service.url, ...more]), there());

const importThere = (records: string, file: string, ...more: string[]) =>
  importOverNetwork(service, account, argsOf(records, file, more));

/** What a search finds, in the order of ids. */
async function found<T>(path: string, query = {}): Promise<readonly T[]> {
  const { body } = await account.rest.post<{ data: T[] }>(`${path}/search`, {
    query,
    per_page: 100,
  });
  return body.data;
}

describe('a certificate that is not accepted is said at once,', () => {
  const failure = async (url: string, trusted: string) => {
    const args = argsOf('contacts', await fileOf('Name\nAna\n'), ['--url', url]);
    const { code, err } = await runCommand(args, { ...there(), NODE_EXTRA_CA_CERTS: trusted });
    return { code, err };
  };

  test('with what to do where nobody trusts it', async () => {
    expect(await failure(service.url, '')).toEqual({
      code: 1,
      err: `${service.url} cannot be reached: self-signed certificate. NODE_EXTRA_CA_CERTS can name a file with the certificate to trust\n`,
    });
  });

  test('and why where it is for another name', async () => {
    const { database } = service;
    const everywhere = await startService({ database, env: { HOST: '0.0.0.0' } });
    const url = everywhere.url.replace('0.0.0.0', '127.0.0.2');
    const said = await failure(url, given('CRM_TEST_CERT'));
    await everywhere.close();
    expect(said).toEqual({
      code: 1,
      err: `${url} cannot be reached: Hostname/IP does not match certificate's altnames: IP: 127.0.0.2 is not in the cert's list: 127.0.0.1\n`,
    });
  });
});

const german = Buffer.from(
  'Vorname;Nachname;E-Mail-Adresse;Telefon;Schlagw\xf6rter;Ort\r\n' +
    'J\xfcrgen;Gro\xdf;JG@x.test;+49 30 901820;"kunde, ""alt, treu""";K\xf6ln\r\n' +
    'Ana;;ana@x.test;;;\r\n' +
    'Falsch;;kein;;;\r\n' +
    'Doppelt;;ana@x.test;;;\r\n',
  'latin1',
);

describe.each([
  ['on the machine', importHere],
  ['from elsewhere', importByProcess],
])('%s', (_, run) => {
  test('a file is imported as people have it, and what is refused can be mended and imported', async () => {
    const file = await fileOf(german);
    const first = await run('contacts', file, '--map', 'Ort=custom_attributes.city');
    const report = `${file}.refused.csv`;
    expect({ ...first, out: JSON.parse(first.out) }).toEqual({
      code: 1,
      out: {
        ...{ dry_run: false, created: 2, updated: 0, refused: 2 },
        ...{ encoding: 'windows-1252', left_out: [], report },
      },
      err: '',
    });
    expect(await found<Contact>('/contacts')).toEqual([
      expect.objectContaining({
        full_name: 'Jürgen Groß',
        email: 'jg@x.test',
        phone: '+4930901820',
        label_list: ['kunde', 'alt, treu'],
        custom_attributes: { city: 'Köln' },
      }),
      expect.objectContaining({ full_name: 'Ana', custom_attributes: {} }),
    ]);
    const refused = await readFile(report, 'utf8');
    expect(readCsv(refused)).toEqual([
      ['Vorname', 'Nachname', 'E-Mail-Adresse', 'Telefon', 'Schlagwörter', 'Ort', 'row', 'errors'],
      ['Falsch', '', 'kein', '', '', '', '4', 'Email is invalid'],
      ['Doppelt', '', 'ana@x.test', '', '', '', '5', 'Email has already been taken'],
    ]);

    const mended = await fileOf(refused.replace('kein', 'falsch@x.test').replace('ana@', 'bea@'));
    const second = await run('contacts', mended);
    expect({ ...second, out: JSON.parse(second.out) }).toEqual({
      code: 0,
      out: {
        ...{ dry_run: false, created: 2, updated: 0, refused: 0, report: null },
        encoding: 'utf-8',
        left_out: ['Ort', 'row', 'errors'],
      },
      err: '',
    });
    expect((await found<Contact>('/contacts')).map(({ email }) => email)).toEqual([
      ...['jg@x.test', 'ana@x.test', 'falsch@x.test', 'bea@x.test'],
    ]);
  });
});

describe('what spreadsheets do to a file is undone, or refused by row:', () => {
  const refusals = (file: string) => refusalsIn(`${file}.refused.csv`);

  test('amounts, codes and counts', async () => {
    const file = await fileOf(
      'sku;name;price;stock\n="00123";A;₹ 1,23,456.78;10.0\nB-1;B;"1.234,567";1\n' +
        '1.2E+3;C;1;1\nD-1;D;1’234.50;10.5\nE-1;E;12k;1\nF-1;F;-1;1\n',
    );
    expect(JSON.parse((await importHere('products', file)).out)).toMatchObject({
      created: 1,
      refused: 5,
    });
    expect(await refusals(file)).toEqual([
      ['3', 'amount: must be an amount such as 1234.56'],
      ['4', 'identifier: was shortened by a spreadsheet: 1.2E+3 has lost its last digits'],
      ['5', 'Quantity available must be an integer'],
      ['6', 'amount: must be an amount such as 1234.56'],
      ['7', 'amount: must be an amount such as 1234.56'],
    ]);
    expect(await found('/products')).toMatchObject([
      { identifier: '00123', name: 'A', amount_in_cents: 12_345_678, quantity_available: 10 },
    ]);
  });

  test('phones that lost digits merge nobody, labels come in any form, and a mark is believed', async () => {
    const file = await fileOf(
      Buffer.concat([
        Buffer.from(
          '\ufeffName,Phone,Tags\nAna,5.51199E+12,\nBo,"5,51199E+12",\n' +
            'Cy,+5511912345678,vip;newsletter\nDi,,"[""vip"",""2026""]"\nJos',
        ),
        Buffer.of(0xe9),
        Buffer.from(',,\nZoë,,\n'),
      ]),
    );
    const { out } = await importHere('contacts', file, '--upsert', '--encoding', 'windows-1252');
    expect(JSON.parse(out)).toMatchObject({
      created: 3,
      refused: 3,
      encoding: 'utf-8',
      left_out: [],
    });
    expect(await refusals(file)).toEqual([
      ['2', 'phone: was shortened by a spreadsheet: 5.51199E+12 has lost its last digits'],
      ['3', 'phone: was shortened by a spreadsheet: 5,51199E+12 has lost its last digits'],
      ['6', 'row: has bytes that are not utf-8'],
    ]);
    expect(await found<Contact>('/contacts')).toMatchObject([
      { full_name: 'Cy', phone: '+5511912345678', label_list: ['vip', 'newsletter'] },
      { full_name: 'Di', label_list: ['vip', '2026'] },
      { full_name: 'Zoë' },
    ]);
  });

  test('an encoding that is said', async () => {
    const file = await fileOf(Buffer.from('name\n\xa3ukasz\n', 'latin1'));
    const { out } = await importHere('contacts', file, '--encoding', 'cp1250');
    expect(JSON.parse(out)).toMatchObject({ created: 1, encoding: 'windows-1250' });
    expect(await found<Contact>('/contacts')).toMatchObject([{ full_name: 'Łukasz' }]);
    const { code, err } = await importHere('contacts', file, '--encoding', 'klingon');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('It must be the name of an encoding, such as windows-1250.'),
    });
  });
});

test('days with slashes are read in the order that is said', async () => {
  await account.contact({ email: 'ana@x.test' });
  const file = await fileOf(
    'Title,Due,Email\nA,03/04/2026,ana@x.test\nB,3/4/26 9:20,ana@x.test\nC,31/02/2026,ana@x.test\n',
  );
  const options = ['--set', 'kind=activity', '--days', 'day-first'];
  const { out, code } = await importThere('events', file, ...options);
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 1, created: 2, refused: 1 });
  const [, ...refused] = readCsv(await readFile(`${file}.refused.csv`, 'utf8'));
  expect(refused).toEqual([
    ['C', '31/02/2026', 'ana@x.test', '4', 'scheduled_at: is not a day: 31/02/2026'],
  ]);
  expect(await found<Event>('/events')).toMatchObject([
    { title: 'A', scheduled_at: '2026-04-03T00:00:00.000Z' },
    { title: 'B', scheduled_at: '2026-04-03T09:20:00.000Z' },
  ]);
});

test('a dry run writes nothing, and names every fault by its row', async () => {
  const file = await fileOf('name,email,phone\nAna,a@x.test,\nBo,a@x,x\nCy,c@@x,\nDi,a@x.test,\n');
  const { out, code } = await importThere('contacts', file, '--dry-run');
  expect({ code, ...JSON.parse(out) }).toEqual({
    ...{ code: 1, dry_run: true, created: 2, updated: 0, refused: 2, left_out: [] },
    encoding: 'utf-8',
    report: `${file}.faults.csv`,
  });
  const [, ...faults] = readCsv(await readFile(`${file}.faults.csv`, 'utf8'));
  expect(faults.map((cells) => cells.slice(3))).toEqual([
    ['4', 'Email is invalid'],
    ['5', 'Email has already been taken'],
  ]);
  expect(await found('/contacts')).toEqual([]);
  expect(existsSync(`${file}.import.json`)).toBe(false);
});

test('upserting changes what is there by what cells say, and clears nothing', async () => {
  await account.contact({ email: 'a@x.test', full_name: 'Ana', phone: '+4930901820' });
  const file = await fileOf('email,name,phone\nA@x.test,,\nb@x.test,Bo,\n');
  const { out } = await importThere('contacts', file, '--upsert');
  expect(JSON.parse(out)).toMatchObject({ created: 1, updated: 1, refused: 0 });
  expect(await found<Contact>('/contacts')).toMatchObject([
    { full_name: 'Ana', phone: '+4930901820' },
    { full_name: 'Bo' },
  ]);
});

test('records find those that they belong to', async () => {
  const contact = await account.contact({ email: 'a@x.test', custom_attributes: { old: 'c-1' } });
  await account.contact({ full_name: 'Twin' });
  await account.contact({ full_name: 'Twin' });
  const deals = await fileOf(
    'Deal,Stage,Pipeline,Email,Old contact,Contact\n' +
      'One,Talks,Sales,A@x.test,,\n' +
      'Two,Lead,Partners,,c-1,\n' +
      'Three,Lead,Sales,a@x.test,,\n' +
      'Four,New,,nobody@x.test,,\n' +
      'Five,New,,,,Twin\n',
  );
  const map = 'Old contact=contact.custom_attributes.old';
  const { out } = await importThere('deals', deals, '--map', map);
  expect(JSON.parse(out)).toMatchObject({ created: 2, refused: 3 });
  const [, ...refused] = readCsv(await readFile(`${deals}.refused.csv`, 'utf8'));
  expect(refused.map((cells) => cells.slice(-2))).toEqual([
    ['4', 'stage.name: must exist: Lead'],
    ['5', 'contact.email: must exist: nobody@x.test'],
    ['6', 'contact.full_name: is that of several: Twin'],
  ]);
  const made = await found<Deal>('/deals');
  expect(made).toMatchObject([
    { name: 'One', contact_id: contact.id, stage_id: account.stageIds[1] },
    { name: 'Two', contact_id: contact.id, stage_id: account.other.stageId },
  ]);
  expect(made.map((deal) => deal.created_by_id)).toEqual([account.admin.id, account.admin.id]);

  await account.product({ identifier: 'P-1', amount_in_cents: 300 });
  const lines = await fileOf('deal;sku;menge;preis\nOne;P-1;2;\nTwo;P-1;1;1.234,50 €\n');
  expect(JSON.parse((await importThere('deal_products', lines)).out)).toMatchObject({ created: 2 });
  const totals = await found<Deal>('/deals');
  expect(totals.map((deal) => deal.total_deal_products_amount_in_cents)).toEqual([600, 123_450]);

  const notes = await fileOf('note,deal,email\nHello,One,\nHi,,a@x.test\n');
  const noted = await importThere('events', notes, '--set', 'kind=note');
  expect(JSON.parse(noted.out)).toMatchObject({ created: 2 });
  expect(await found<Event>('/events', { kind_eq: 'note' })).toMatchObject([
    { content: 'Hello', deal_id: made[0]?.id, contact_id: contact.id },
    { content: 'Hi', deal_id: null, contact_id: contact.id },
  ]);

  const called = await account.contact({ phone: '+55 11 98765-4321' });
  const calls = await fileOf('note,tel\nCalled,+55 (11) 98765-4321\n');
  const byPhone = ['--set', 'kind=note', '--map', 'tel=contact.phone'];
  expect(JSON.parse((await importThere('events', calls, ...byPhone)).out)).toMatchObject({
    created: 1,
  });
  expect(
    await found<Event>('/events', { contact_id_eq: called.id, kind_eq: 'note' }),
  ).toMatchObject([{ content: 'Called' }]);
});

describe.each([
  ['on the machine', importHere],
  ['from elsewhere', importThere],
])('%s', (_, run) => {
  test('a row finds the contact that an upsert finds, and names in any case', async () => {
    const called = await account.contact({ phone: '+5541988434869', full_name: 'Ana  Souza' });
    const mailed = await account.contact({ email: 'jose@xn--mnchen-3ya.test' });
    await account.rest.put('', { default_country: 'BR' });
    const events = await fileOf(
      'note,tel\nA,+554188434869\nB,(41) 98843-4869\nC,+55 41 9 8843 4869\nD,+55 41 98888-7777\nE,55-41-98888.7777\n',
    );
    const more = ['--set', 'kind=note', '--map', 'tel=contact.phone'];
    expect(JSON.parse((await run('events', events, ...more)).out)).toMatchObject({
      ...{ created: 3, refused: 2 },
    });
    expect(await found<Event>('/events', { kind_eq: 'note' })).toMatchObject(
      ['A', 'B', 'C'].map((content) => ({ content, contact_id: called.id })),
    );
    const [, ...refused] = readCsv(await readFile(`${events}.refused.csv`, 'utf8'));
    expect(refused.map((cells) => cells.slice(-2))).toEqual([
      ['5', 'contact.phone: must exist: +55 41 98888-7777'],
      ['6', 'contact.phone: must exist: 55-41-98888.7777'],
    ]);
    const deals = await fileOf(
      'Deal,Stage,Pipeline,Email,Contact,Status\nOne,TALKS,sales,JOSE@MÜNCHEN.test,,Won\nTwo,lead,PARTNERS,,ana Souza,\nThree,Lead,Partners,,Ana   Souza,LOST\nFour,l%,Partners,,Ana Souza,\n',
    );
    const as = run === importHere ? ['--user', account.admin.email] : [];
    expect(JSON.parse((await run('deals', deals, ...as)).out)).toMatchObject({
      ...{ created: 2, refused: 2 },
    });
    expect(await found<Deal>('/deals')).toMatchObject([
      { name: 'One', contact_id: mailed.id, stage_id: account.stageIds[1], status: 'won' },
      { name: 'Three', contact_id: called.id, stage_id: account.other.stageId, status: 'lost' },
    ]);
  });
});

test('a row with the e-mail of a contact that was merged changes the one that is left', async () => {
  const left = await account.contact({ email: 'left@example.com' });
  const gone = await account.contact({ email: 'gone@example.com' });
  await account.rest.post(`/contacts/${left.id}/merge`, { from: [gone.id] });
  const file = await fileOf('email,full_name\ngone@example.com,Bo\n');
  expect((await importHere('contacts', file, '--upsert')).code).toBe(0);
  expect(await found<Contact>('/contacts')).toMatchObject([
    { id: left.id, email: 'left@example.com', full_name: 'Bo' },
  ]);
});

test('upserted deals bring their contacts with them', async () => {
  const file = await fileOf(
    'name,stage,contact name,email\nOne,New,Ana,a@x.test\nMore,Talks,,a@x.test\n',
  );
  const { out } = await importThere('deals', file, '--upsert');
  expect(JSON.parse(out)).toMatchObject({ created: 1, updated: 1, refused: 0 });
  expect(await found<Contact>('/contacts')).toMatchObject([{ full_name: 'Ana' }]);
  expect(await found<Deal>('/deals')).toMatchObject([
    { name: 'More', stage_id: account.stageIds[1] },
  ]);
});

test('deals are made on behalf of a user, and a file is imported once unless it is asked for', async () => {
  const { id } = await account.contact();
  const file = await fileOf('name,stage\nOne,Offer\n');
  const args = ['--set', `contact_id=${id}`];
  expect(await importHere('deals', file, ...args)).toEqual({
    ...{ code: 1, out: '' },
    err: 'Say with --user whose deals these become\n',
  });
  const own = [...args, '--user', account.member.email];
  expect(JSON.parse((await importHere('deals', file, ...own)).out)).toMatchObject({ created: 1 });
  const [deal] = await found<Deal>('/deals');
  expect(deal).toMatchObject({ contact_id: id, created_by_id: account.member.id });
  expect(await importHere('deals', file, ...own)).toEqual({
    ...{ code: 1, out: '' },
    err: `${file} was imported before: --again does it once more\n`,
  });
});

test('an operator may say when records were created, and the feed tells it', async () => {
  const file = await fileOf(
    'name,criado em\nAna,2019-02-28 12:00\nBo,01/02/2020\nCy,2999-01-01\nDi,\n',
  );
  const { out } = await importHere('contacts', file);
  expect(JSON.parse(out)).toMatchObject({ created: 2, refused: 2 });
  const [, ...refused] = readCsv(await readFile(`${file}.refused.csv`, 'utf8'));
  expect(refused.map(([name, ...cells]) => [name, cells.at(-1)])).toEqual([
    ['Bo', 'Created at must be an ISO 8601 time in UTC, such as 2026-03-01T10:00:00Z'],
    ['Cy', 'Created at must not be in the future'],
  ]);
  const [ana, di] = await found<Contact>('/contacts');
  expect(ana).toMatchObject({ full_name: 'Ana', created_at: '2019-02-28T12:00:00.000Z' });
  expect(di).toMatchObject({ full_name: 'Di', created_at: di?.updated_at });
  // What PostgreSQL never counted it reads whole, part after part.
  expect(
    await service.database.query(
      "SELECT reltuples >= 0 AS counted FROM pg_class WHERE relname = 'contacts'",
    ),
  ).toEqual([{ counted: true }]);
  await caughtUp({ service });
  expect((await changes(account.rest)).data).toMatchObject([
    { action: 'create', record_id: ana?.id, user_id: null },
    { action: 'create', record_id: di?.id },
    {
      action: 'update',
      record_id: ana?.id,
      after: { created_at: ana?.created_at },
      at: ana?.updated_at,
    },
  ]);
});

describe('an import says what is wrong with it', () => {
  test.each([
    ['a file that is not there', undefined, [], /^There is no file /],
    [
      'a row without an end',
      `name\n${'x'.repeat(2 ** 21)}`,
      [],
      /: Row 2 has more than 1048576 characters$/,
    ],
    [
      'two columns of one name',
      'full_name,full_name\nx,y\n',
      [],
      /^Two columns are called full_name: --map "full_name=" leaves the first of them out$/,
    ],
    ['an empty file', '', [], /: The file is empty$/],
    ['a quote that nothing closes', 'name\n"x\n', [], /: Row 2 opens a quote that nothing closes$/],
    [
      'a column that there is not',
      'name\nx\n',
      ['--map', 'mail=email'],
      /^The file has no column mail, but name$/,
    ],
    [
      'a field that there is not',
      'name\nx\n',
      ['--map', 'name=nam'],
      /^A column of contacts cannot become nam, but /,
    ],
  ] as const)('%s', async (_, content, more, err) => {
    const file = content === undefined ? join(directory, 'none.csv') : await fileOf(content);
    const args = argsOf('contacts', file, ['--url', service.url, ...more]);
    const failed = await runHere(args, { ...there(), CRM_TOKEN: 'x.y.z' });
    expect({ ...failed, err: failed.err.trimEnd() }).toEqual({
      ...{ code: 1, out: '' },
      err: expect.stringMatching(err),
    });
  });

  test('a directory', async () => {
    const { err } = await runHere(argsOf('contacts', directory), here());
    expect(err).toBe(`${directory} is a directory, not a file\n`);
  });

  test('an invalid token, no token, and what cannot be upserted', async () => {
    const file = await fileOf('name\nx\n');
    const args = argsOf('contacts', file, ['--url', service.url]);
    expect(await runCommand(args, { ...there(), CRM_TOKEN: 'x.y.z' })).toEqual({
      ...{ code: 1, out: '' },
      err: expect.stringMatching(/ answered 401: A valid token is needed/),
    });
    // Nothing was begun, so that another address or token need not say that it begins again.
    expect(existsSync(`${file}.import.json`)).toBe(false);
    const without = await runHere(args, { ...there(), CRM_TOKEN: '' });
    expect(without.err).toBe('Set CRM_TOKEN to a token that may write into the account\n');
    const upserted = await runHere(argsOf('products', file, ['--upsert']), here());
    expect(upserted.err).toBe('--upsert is for contacts and deals\n');
  });
});
