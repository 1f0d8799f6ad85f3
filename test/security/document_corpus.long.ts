import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { freePort } from '../../src/postgres/free_port.ts';
import { Graphql } from '../kit/graphql.ts';
import { Client } from '../kit/http.ts';
import { onLinux as test } from '../kit/proc.ts';
import { type Demo, demo, killProcesses, startProcess, workerOf } from '../kit/process.ts';
import { until } from '../kit/wait.ts';
import { nested, repeat } from './documents.ts';

// A whole process is started, on machines that may be busy.
jest.setTimeout(60_000);

let shop: Demo;
let contactId: number;
let productId: number;
/**
 * The service, and what it reports about itself; in a process of its own, so that nothing else is
 * counted.
 */
let pid: number;
let client: Client;
let admin: Client;
let graphql: Graphql;
beforeAll(async () => {
  shop = await demo();
  const adminPort = await freePort();
  const started = await startProcess(shop, {
    ADMIN_PORT: String(adminPort),
    NODE_OPTIONS: `--import=${new URL('../kit/observe.mjs', import.meta.url).href}`,
    OBSERVED_AFTER_COLLECTION: 'on',
  });
  pid = workerOf(started);
  client = new Client(started.url);
  admin = new Client(`http://127.0.0.1:${adminPort}`);
  graphql = new Graphql(client, shop.token);
  contactId = await first('contacts');
  productId = await first('products');
});
afterAll(async () => {
  client.close();
  admin.close();
  killProcesses();
  await shop.database.close();
});

async function first(table: string): Promise<number> {
  const [row] = await shop.database.query<{ id: number }>(`SELECT min(id) AS id FROM ${table}`);
  if (!row) throw new Error(`there are no ${table}`);
  return row.id;
}

const contact = (fields: string) =>
  `{ contact(account_id: ${shop.accountId}, id: ${contactId}) { ${fields} } }`;

/** Documents that would wear a careless server out. */
const hostile = (): readonly (readonly [string, string])[] => {
  const a = shop.accountId;
  const deals = `deals(account_id: ${a})`;
  const introspection =
    '__schema { types { fields { name args { name type { name } } type { fields { name } } } } }';
  const spreads = (fragments: number, body: (n: number) => string, type: string) =>
    repeat(fragments, (n) => `fragment f${n} on ${type} { ${body(n)} }`);
  const bomb = (fan: number, levels: number) =>
    `{ ${deals} { data { ...f0 } } } ${spreads(
      levels,
      (n) => (n === levels - 1 ? 'id' : repeat(fan, () => `contact { deals { ...f${n + 1} } }`)),
      'Deal',
    )}`;
  return [
    ['deep', contact(nested(200))],
    [
      'deep in lists',
      `{ ${deals} { data { ${repeat(100, () => 'contact { deals {')} id ${repeat(100, () => '} }')} } } }`,
    ],
    [
      'deep literals',
      `{ contacts(account_id: ${a}, query: {g: ${'['.repeat(400)}${']'.repeat(400)}}) { pagination { count } } }`,
    ],
    ['deeper literals', `{ contacts(account_id: ${a}, query: {g: ${'['.repeat(100_000)}`],
    ['comments', `{ __typename ${'#\n'.repeat(400_000)} }`],
    ['blank lines', `{ __typename ${'\n'.repeat(400_000)} }`],
    ['deep braces', '{ a '.repeat(100_000)],
    ['wide', contact(repeat(5000, () => 'id'))],
    ['as wide as allowed', contact(repeat(990, () => 'id'))],
    ['wide and deep as allowed', contact(repeat(90, () => nested(6)))],
    ['wide arguments', `{ contact(${repeat(5000, (n) => `a${n}: 1`)}) { id } }`],
    ['unknown fields', contact(repeat(900, (n) => `x${n}`))],
    ['unknown arguments', contact(repeat(200, (n) => `events(x${n}: 1) { id }`))],
    ['aliases', contact(repeat(900, (n) => `a${n}: id`))],
    ['aliased relations', contact(repeat(150, (n) => `a${n}: deals { id }`))],
    ['aliased roots', `{ ${repeat(150, (n) => `a${n}: ${deals} { data { id } }`)} }`],
    ['the same root', `{ ${repeat(150, () => `${deals} { data { id } }`)} }`],
    ['searches as allowed', `{ ${repeat(20, (n) => `a${n}: ${deals} { data { id } }`)} }`],
    [
      'a fragment in itself',
      `{ ${deals} { data { ...f } } } fragment f on Deal { contact { deals { ...f } } }`,
    ],
    [
      'two fragments in each other',
      `{ ${deals} { data { ...f } } } fragment f on Deal { ...g } fragment g on Deal { ...f }`,
    ],
    [
      'a long cycle',
      `{ ${deals} { data { ...f0 } } } ${spreads(150, (n) => `...f${(n + 1) % 150}`, 'Deal')}`,
    ],
    [
      'a long chain',
      `{ ${deals} { data { ...f0 } } } ${spreads(150, (n) => (n === 149 ? 'id' : `...f${n + 1}`), 'Deal')}`,
    ],
    ['a bomb of fragments', bomb(2, 30)],
    ['a wider bomb', bomb(10, 10)],
    [
      'a flat bomb',
      `{ ${deals} { data { ...f0 } } } ${spreads(20, (n) => (n === 19 ? 'id' : repeat(10, () => `...f${n + 1}`)), 'Deal')}`,
    ],
    [
      'many fragments',
      `{ ${deals} { data { ${repeat(180, (n) => `...f${n}`)} } } } ${spreads(180, () => 'id', 'Deal')}`,
    ],
    ['unused fragments', `{ __typename } ${spreads(250, () => 'id', 'Deal')}`],
    ['inline fragments', contact(`${'... on Contact { '.repeat(300)} id ${'} '.repeat(300)}`)],
    [
      'huge lists',
      `{ contacts(account_id: ${a}, per_page: 100) { data { deals(limit: 100) { events(limit: 100) { id } } } } }`,
    ],
    ['a huge limit', contact(`events(limit: ${Number.MAX_SAFE_INTEGER}) { id }`)],
    ['an endless limit', contact(`events(limit: 1${'0'.repeat(300)}) { id }`)],
    ['a huge page', `{ contacts(account_id: ${a}, per_page: 1000000) { data { id } } }`],
    [
      'a far page',
      `{ contacts(account_id: ${a}, page: ${Number.MAX_SAFE_INTEGER}) { data { id } } }`,
    ],
    [
      'lists in lists without sizes',
      `{ ${deals} { data { contact { deals { contact { deals { contact { deals { contact { deals { id } } } } } } } } } } }`,
    ],
    ['directives', contact(repeat(300, () => 'id @skip(if: false)'))],
    ['directives on one field', contact(`id ${'@include(if: true) '.repeat(300)}`)],
    ['unknown directives', contact(`id ${'@x '.repeat(1000)}`)],
    ['introspection bombs', `{ ${repeat(20, (n) => `a${n}: ${introspection}`)} }`],
    [
      'deep introspection',
      `{ __schema { types { ${'fields { type { '.repeat(20)} name ${'} } '.repeat(20)} } } }`,
    ],
    [
      'deep types',
      `{ __type(name: "Deal") { ${'ofType { '.repeat(400)} name ${'} '.repeat(400)} } }`,
    ],
    [
      'aliased introspection',
      `{ __schema { types { ${repeat(29, (n) => `a${n}: fields { name }`)} } } }`,
    ],
    ['1 MB of blanks', ' '.repeat(1_000_000)],
    ['1 MB of commas', `{ __typename ${','.repeat(1_000_000)} }`],
    ['1 MB of comment', `{ __typename } #${'x'.repeat(1_000_000)}`],
    ['1 MB of name', `{ ${'x'.repeat(1_000_000)} }`],
    ['1 MB of text', `{ contact(account_id: "${'x'.repeat(1_000_000)}", id: 1) { id } }`],
    [
      '1 MB of block text',
      `{ contact(account_id: """${'x\\n'.repeat(330_000)}""", id: 1) { id } }`,
    ],
    ['1 MB of quotes', '"'.repeat(1_000_000)],
    ['1 MB of number', `{ contact(account_id: ${'9'.repeat(1_000_000)}, id: 1) { id } }`],
    ['1 MB of braces', '{'.repeat(1_000_000)],
    ['many operations', repeat(250, (n) => `query q${n} { __typename }`)],
    ['many variables', `query (${repeat(400, (n) => `$v${n}: Integer`)}) { __typename }`],
    [
      'groups',
      `{ deals_summary(account_id: ${a}, group_by: [${'STATUS '.repeat(1900)}]) { count } }`,
    ],
    [
      'a product again and again',
      `{ product(account_id: ${a}, id: ${productId}) { ${repeat(10, (n) => `a${n}: deal_products { deal { contact { deals { deal_products { product { name } } } } } }`)} } }`,
    ],
  ];
};

/** A value that the process reports about itself. */
async function metric(name: string): Promise<number> {
  const { text } = await admin.send({ method: 'GET', path: '/metrics' });
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`there is no ${name} in ${text}`);
  return Number(value);
}

const cpuMs = async () => 1000 * (await metric('process_cpu_seconds_total'));

/** Answers a document; with the processor time, in milliseconds, that the service took for it. */
async function timed(document: string): Promise<{ ms: number; code: string | undefined }> {
  const from = await cpuMs();
  const { body } = await graphql.send(document);
  return { ms: (await cpuMs()) - from, code: body?.errors?.[0]?.extensions.code };
}

/** What is still held after a collection, on V8's heap and beside it. */
async function heldMb(): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  // The process answers nothing while it collects.
  await cpuMs();
  const heap = await metric('nodejs_heap_size_used_bytes');
  return (heap + (await metric('nodejs_external_memory_bytes'))) / 1e6;
}

/** Rounds after the one that fills caches: anything a round leaves behind adds up this many times. */
const rounds = 3;

/** What every developer's page asks for when it opens: no document may cost a multiple of it. */
const baseline = getIntrospectionQuery();

test('hostile documents cost no more than ten introspections, and leave no memory behind', async () => {
  const documents = hostile();
  expect(documents.length).toBeGreaterThanOrEqual(40);
  for (const [, document] of [...documents, ['', baseline]]) await graphql.send(document);
  const before = await heldMb();
  const min = new Map<string, number>();
  const failed: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, document] of [...documents, ['baseline', baseline] as const]) {
      // Another text each time, so that nothing is remembered.
      const { ms, code } = await timed(document + ' '.repeat(round));
      // The least of the rounds: a collection, or a pause of the machine, is not the document's.
      min.set(name, Math.min(ms, min.get(name) ?? Number.POSITIVE_INFINITY));
      if (code === 'INTERNAL_SERVER_ERROR' || code === 'UNAVAILABLE') {
        failed.push(`${name}: ${code}`);
      }
    }
  }
  const allowed = 10 * (min.get('baseline') ?? 0);
  const slow = [...min].filter(([, ms]) => ms > allowed);
  expect(failed).toEqual([]);
  expect(slow).toEqual([]);
  const after = await until(heldMb, (mb) => mb - before < 20, 10_000);
  expect(after - before).toBeLessThan(20);
  expect(await graphql.data(contact('id'))).toEqual({ contact: { id: contactId } });
});
