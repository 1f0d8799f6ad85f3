/** Importing deals whose rows bring a product. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { fetchFrom } from '../kit/fetch.ts';
import {
  environmentHere,
  importArgs,
  importOverNetwork,
  refusalsIn,
} from '../kit/import_command.ts';
import type { Deal, DealProduct } from '../kit/records.ts';
import { sharedService } from '../kit/service.ts';
import { runHere } from '../kit/shared.ts';
import { type World, world } from '../kit/world.ts';

// A part of a thousand rows is written several times, on machines that may be busy.
jest.setTimeout(60_000);

const service = await sharedService();
let account: World;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'import-lines-'));
});
beforeEach(async () => {
  account = await world(service);
  await account.contact({ email: 'ana@x.test' });
});
afterAll(() => rm(directory, { recursive: true }));

let files = 0;
async function fileOf(...rows: readonly string[]): Promise<string> {
  const path = join(directory, `deals-${++files}.csv`);
  await writeFile(path, rows.map((row) => `${row}\r\n`).join(''));
  return path;
}

const importHere = (file: string, ...more: string[]) =>
  runHere(
    importArgs(account, 'deals', file, ['--user', account.admin.email, ...more]),
    environmentHere(service),
  );

const importThere = (file: string, more: readonly string[] = [], fetch = fetchFrom(service)) =>
  importOverNetwork(service, account, importArgs(account, 'deals', file, more), fetch);

const search = async <T>(path: string): Promise<readonly T[]> =>
  (await account.rest.post<{ data: T[] }>(`${path}/search`, { query: { s: 'id' }, per_page: 100 }))
    .body.data;

/** What is in each deal, as `name: product × quantity at price`, and what it comes to. */
async function contents() {
  const [deals, lines] = await Promise.all([
    search<Deal>('/deals'),
    search<DealProduct>('/deal_products'),
  ]);
  return deals.map(({ id, name, total_deal_products_amount_in_cents: total }) => {
    const own = lines.filter(({ deal_id }) => deal_id === id);
    const said = own.map(
      ({ product_name, quantity, unit_amount_in_cents: price }) =>
        `${product_name} × ${quantity} at ${price}`,
    );
    return [name, ...said, total];
  });
}

const header = 'Negócio;Etapa;E-mail;Código do produto;Produto;Quantidade;Preço unitário';

describe.each([
  ['on the machine', importHere],
  ['from elsewhere', (file: string) => importThere(file)],
])('%s', (_, run) => {
  test('a row brings its product, found by identifier or name, at the price of the catalogue unless it says another', async () => {
    await account.product({ identifier: 'P-1', name: 'Sensor', amount_in_cents: 300 });
    await account.product({ name: 'Instalação', amount_in_cents: 5_000 });
    const file = await fileOf(
      header,
      'One;New;ana@x.test;P-1;;2;R$ 1.234,50',
      'Two;New;ana@x.test;;Instalação;;',
      'Three;New;ana@x.test;;;;',
    );
    const { code, out } = await run(file);
    expect({ code, ...JSON.parse(out) }).toEqual({
      ...{ code: 0, dry_run: false, created: 3, updated: 0, refused: 0 },
      ...{ encoding: 'utf-8', left_out: [], report: null },
    });
    expect(await contents()).toEqual([
      ['One', 'Sensor × 2 at 123450', 246_900],
      ['Two', 'Instalação × 1 at 5000', 5_000],
      ['Three', 0],
    ]);
  });
});

test('a line was created when its deal was, if an operator says so', async () => {
  await account.product({ identifier: 'P-1' });
  const file = await fileOf(`${header};Criado em`, 'One;New;ana@x.test;P-1;;2;;2019-02-28 12:00');
  expect((await importHere(file)).code).toBe(0);
  const created_at = '2019-02-28T12:00:00.000Z';
  expect(await search('/deals')).toMatchObject([{ created_at }]);
  expect(await search('/deal_products')).toMatchObject([{ created_at }]);
});

test('a row whose line is wrong makes no deal: a dry run says so, and mended it makes one', async () => {
  await account.product({ identifier: 'P-1', name: 'Sensor', amount_in_cents: 300 });
  await account.product({ name: 'Twin' });
  await account.product({ name: 'Twin' });
  const file = await fileOf(
    header,
    'Good;New;ana@x.test;P-1;;1;',
    'Absent;New;ana@x.test;P-9;;0;',
    'Double;New;ana@x.test;;Twin;1;',
    'None;New;ana@x.test;;;3;',
    'Half;New;ana@x.test;P-1;;1,5;',
    'Price;New;ana@x.test;P-1;;0;12k',
  );
  const faults = [
    ['3', 'quantity: must be greater than or equal to 1; product.identifier: must exist: P-9'],
    ['4', 'product.name: is that of several: Twin'],
    ['5', 'product_id: must exist'],
    ['6', 'quantity: must be an integer'],
    [
      '7',
      'quantity: must be greater than or equal to 1; unit_amount: must be an amount such as 1234.56',
    ],
  ];
  const dry = JSON.parse((await importThere(file, ['--dry-run'])).out);
  expect(dry).toMatchObject({ dry_run: true, created: 1, refused: 5 });
  expect(await refusalsIn(dry.report)).toEqual(faults);
  expect(await contents()).toEqual([]);

  const { out } = await importThere(file);
  expect(JSON.parse(out)).toMatchObject({ created: 1, refused: 5 });
  const report = `${file}.refused.csv`;
  expect(await refusalsIn(report)).toEqual(faults);
  const mended = (await readFile(report, 'utf8'))
    .replace('P-9', 'P-1')
    .replace('Twin', 'Sensor')
    .replace(',,,3,', ',P-1,,3,')
    .replace('"1,5"', '15')
    .replaceAll(',0,', ',2,')
    .replace('12k', '12');
  const second = JSON.parse((await importThere(await fileOf(mended.trimEnd()))).out);
  expect(second).toMatchObject({ created: 5, refused: 0, left_out: ['row', 'errors'] });
  expect(await contents()).toEqual([
    ['Good', 'Sensor × 1 at 300', 300],
    ['Absent', 'Sensor × 2 at 300', 600],
    ['Double', 'Sensor × 1 at 300', 300],
    ['None', 'Sensor × 3 at 300', 900],
    ['Half', 'Sensor × 15 at 300', 4_500],
    ['Price', 'Sensor × 2 at 1200', 2_400],
  ]);
});

test('what only the written deal shows to be wrong is reported with its row, which says that the deal is there', async () => {
  await account.product({ identifier: 'P-1', name: 'Sensor' });
  const file = await fileOf(
    header,
    'One;New;ana@x.test;P-1;;2;90071992547409,91',
    'Two;Nowhere;ana@x.test;P-1;;1;',
    'Three;New;ana@x.test;P-1;;1;2',
  );
  const { code, out } = await importThere(file);
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 1, created: 2, refused: 2 });
  expect(await refusalsIn(`${file}.refused.csv`)).toEqual([
    [
      '2',
      'The deal was written, but not its product; Quantity makes the total larger than 9007199254740991',
    ],
    ['3', 'stage.name: must exist: Nowhere'],
  ]);
  expect(await contents()).toEqual([
    ['One', 0],
    ['Three', 'Sensor × 1 at 200', 200],
  ]);
});

/** Loses the answer to one batch that writes, or that batch itself. */
function losing(nth: number, isWritten: boolean): typeof fetch {
  const fetch = fetchFrom(service);
  let batches = 0;
  return async (input, init = {}) => {
    const isBatch = String(input).endsWith('/batch') && !String(init.body).includes('dry_run');
    if (!isBatch || ++batches !== nth) return fetch(input, init);
    if (isWritten) await fetch(input, init);
    return new Response('{"errors":["lost"]}', { status: 400 });
  };
}

describe('an import that is cut off writes every deal and line once:', () => {
  test.each([
    ['before its deals', 1, false, []],
    ['after its deals', 1, true, []],
    ['before its lines', 2, false, []],
    ['after its lines', 2, true, []],
    ['before lines of an upsert', 2, false, ['--upsert']],
    ['after lines of an upsert', 2, true, ['--upsert']],
    ['before changes of an upsert', 3, false, ['--upsert']],
    ['after changes of an upsert', 3, true, ['--upsert']],
  ] as const)('%s', async (_, nth, isWritten, options) => {
    const isUpsert = options.length > 0;
    const [product] = await Promise.all([
      account.product({ identifier: 'P-1', name: 'Sensor', amount_in_cents: 300 }),
      account.product({ identifier: 'P-2', name: 'Cable', amount_in_cents: 10 }),
    ]);
    const kept = isUpsert
      ? await account.dealProduct({
          deal_id: (
            await account.deal({
              contact_id: (await search<{ id: number }>('/contacts'))[0]?.id ?? 0,
            })
          ).id,
          product_id: product.id,
          quantity: 7,
        })
      : undefined;
    const file = await fileOf(
      header,
      'One;New;ana@x.test;P-1;;2;',
      'One;New;ana@x.test;P-2;;3;',
      'One;New;ana@x.test;P-9;;1;',
    );
    const broken = await importThere(file, options, losing(nth, isWritten));
    expect(broken).toMatchObject({ code: 1, err: expect.stringContaining('answered 400: lost') });
    const { out } = await importThere(file, options);
    expect(JSON.parse(out)).toMatchObject(
      isUpsert ? { created: 0, updated: 2, refused: 1 } : { created: 2, updated: 0, refused: 1 },
    );
    expect(await contents()).toEqual(
      isUpsert
        ? [['One', 'Sensor × 2 at 300', 'Cable × 3 at 10', 630]]
        : [
            ['One', 'Sensor × 2 at 300', 600],
            ['One', 'Cable × 3 at 10', 30],
          ],
    );
    if (kept) expect(await search('/deal_products')).toMatchObject([{ id: kept.id }, {}]);
    expect(await refusalsIn(`${file}.refused.csv`)).toEqual([
      ['4', 'product.identifier: must exist: P-9'],
    ]);
  });
});

test('an upsert that is repeated changes the line of the product, adds none, and guesses at none', async () => {
  const sensor = await account.product({ identifier: 'P-1', name: 'Sensor', amount_in_cents: 300 });
  await account.product({ identifier: 'P-2', name: 'Cable', amount_in_cents: 10 });
  const rows = (quantity: number, price: string) => [
    header,
    `One;New;ana@x.test;P-1;;${quantity};${price}`,
    'One;New;ana@x.test;P-2;;3;',
    `Two;New;bea@x.test;P-1;;1;`,
    `Two;New;bea@x.test;P-1;;${quantity};`,
  ];
  const upsert = async (file: string) => JSON.parse((await importThere(file, ['--upsert'])).out);
  expect(await upsert(await fileOf(...rows(2, '4')))).toMatchObject({ created: 2, updated: 2 });
  const first = await search<DealProduct>('/deal_products');
  expect(await contents()).toEqual([
    ['One', 'Sensor × 2 at 400', 'Cable × 3 at 10', 830],
    ['Two', 'Sensor × 2 at 300', 600],
  ]);
  expect(await upsert(await fileOf(...rows(5, '')))).toMatchObject({ created: 0, updated: 4 });
  expect(await contents()).toEqual([
    ['One', 'Sensor × 5 at 400', 'Cable × 3 at 10', 2_030],
    ['Two', 'Sensor × 5 at 300', 1_500],
  ]);
  const second = await search<DealProduct>('/deal_products');
  expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));

  await account.dealProduct({ deal_id: first[0]?.deal_id ?? 0, product_id: sensor.id });
  const file = await fileOf(...rows(6, ''));
  expect(await upsert(file)).toMatchObject({ created: 0, updated: 4, refused: 1 });
  expect(await refusalsIn(`${file}.refused.csv`)).toEqual([
    ['2', 'The deal was written, but not its product; product: is in the deal more than once'],
  ]);
});

test('a quantity without a column for its product is said before anything is sent', async () => {
  const file = await fileOf('Negócio;Quantidade', 'One;2');
  expect(await importThere(file, ['--map', 'Quantidade=quantity'])).toEqual({
    ...{ code: 1, out: '' },
    err: 'quantity is that of a product: map product.identifier or product.name, too\n',
  });
});
