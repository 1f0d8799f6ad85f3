/** Operations with something more to do, which are measured beside themselves without it. */
import { once } from 'node:events';

import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Database } from '../../../src/db/database.ts';
import { sql } from '../../../src/db/sql/sql.ts';
import { newSecret } from '../../../src/resources/webhooks/secret.ts';
import type { Operation } from './operation.ts';

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

/** @returns pairs of an operation with more to do, and the same without */
export const variantsOf = (
  operations: readonly Operation[],
): readonly (readonly [Operation, Operation])[] =>
  operations
    .filter(({ name }) => name === 'contact create')
    .flatMap((plain) => [keyed, told].map((more) => [more(plain), plain] as const));
