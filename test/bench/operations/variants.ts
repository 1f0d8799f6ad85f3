/** Operations with something more to do, which are measured beside themselves without it. */
import { once } from 'node:events';

import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Database } from '../../../src/db/database.ts';
import { sql } from '../../../src/db/sql/sql.ts';
import { newSecret } from '../../../src/resources/webhooks/secret.ts';
import { base, type Operation, type Request } from './operation.ts';

/** Each request has a key of its own. */
const keyed = (operation: Operation): Operation => ({
  ...operation,
  name: `${operation.name} with a key`,
  request: (n) => ({ ...operation.request(n), key: `bench-${n}` }),
});

/** Of an account with a webhook that gets its changes. */
const hooked = 8;

/** Each change becomes a delivery, next to the write and not in it. */
const told = (operation: Operation): Operation => ({
  ...operation,
  name: `${operation.name} with a webhook`,
  account: hooked,
  prepare: addWebhook,
  request: (n) => {
    const request = operation.request(n);
    return { ...request, path: request.path.replace(/\/accounts\/\d+/, `/accounts/${hooked}`) };
  },
});

let silent: Server | undefined;

/** Its receiver takes connections and never answers: what sending costs is of no concern here. */
async function addWebhook(db: Database): Promise<void> {
  if (silent) return;
  silent = createServer().listen(0, '127.0.0.1').unref();
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  await db.transaction(async (tx) => {
    await tx.query(sql`DELETE FROM webhooks WHERE account_id = ${hooked}`);
    await tx.query(sql`INSERT INTO webhooks (account_id, user_id, url, events, secret)
      VALUES (${hooked}, ${hooked}, ${`https://127.0.0.1:${port}/`}, ${['*']}::text[], ${newSecret()})`);
  });
}

type ArgumentsOf = (request: Request) => object;

/** The same by a tool for agents, which calls the very route. */
const called = (operation: Operation, tool: string, argumentsOf: ArgumentsOf): Operation => ({
  ...operation,
  name: `${operation.name} by an agent`,
  status: 200,
  request: (n) => {
    const params = { name: tool, arguments: argumentsOf(operation.request(n)) };
    const body = JSON.stringify({ jsonrpc: '2.0', id: n, method: 'tools/call', params });
    return { method: 'POST', path: '/mcp', body };
  },
});

/** The route that the tool calls to write one record. */
const inBatch = (operation: Operation): Operation => ({
  ...operation,
  name: `${operation.name} in a batch of one`,
  status: 200,
  request: (n) => {
    const { body = '{}' } = operation.request(n);
    const batch = { operation: 'create', records: [JSON.parse(body)] };
    return { method: 'POST', path: `${base}/contacts/batch`, body: JSON.stringify(batch) };
  },
});

const sentIn = ({ body = '{}' }: Request) => JSON.parse(body);

/** The tools that do what an operation does, by its name. */
const tools: Readonly<Record<string, (plain: Operation) => readonly [Operation, Operation]>> = {
  'contact get': (plain) => [
    called(plain, 'get', ({ path }) => ({
      resource: 'contacts',
      ids: [Number(path.replace(/^.*\//, ''))],
      include: ['deals', 'events'],
    })),
    plain,
  ],
  'contact search': (plain) => [
    called(plain, 'search', (request) => {
      const { query, per_page: limit } = sentIn(request);
      return { resource: 'contacts', query, limit };
    }),
    plain,
  ],
  'contact create': (plain) => [
    called(inBatch(plain), 'write', (request) => ({ resource: 'contacts', ...sentIn(request) })),
    inBatch(plain),
  ],
};

/** @returns pairs of an operation with more to do, and the same without */
export const variantsOf = (
  operations: readonly Operation[],
): readonly (readonly [Operation, Operation])[] => [
  ...operations
    .filter(({ name }) => name === 'contact create')
    .flatMap((plain) => [keyed, told].map((more) => [more(plain), plain] as const)),
  ...operations.flatMap((plain) => {
    const pair = tools[plain.name]?.(plain);
    return pair ? [pair] : [];
  }),
];
