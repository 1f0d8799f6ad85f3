/**
 * Whatever is tried, by random requests of each operation, is answered as the call itself, and nothing is done.
 * `DRY_RUN_INPUTS` requests of each (20), chosen by `DRY_RUN_SEED`.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mutateBody } from '../fuzz/body_mutations.ts';
import { rootFields, Writer } from '../fuzz/documents.ts';
import { nameOf, operations } from '../fuzz/operations.ts';
import { Pool } from '../fuzz/pool.ts';
import { Random } from '../fuzz/random.ts';
import { writeRaw } from '../fuzz/raw_json.ts';
import { type Account, validRequest } from '../fuzz/rest_requests.ts';
import { password } from '../fuzz/values.ts';
import { checksumOf } from '../kit/checksum.ts';
import type { Answer } from '../kit/http.ts';
import { type Service, startService } from '../kit/service.ts';
import { unique, type World, world } from '../kit/world.ts';

const inputs = Number(process.env.DRY_RUN_INPUTS ?? 20);
const seed = Number(process.env.DRY_RUN_SEED ?? 1);

let service: Service;
let checksum: string;
/** Records of another account, by their type. */
let foreign: ReadonlyMap<string, readonly number[]>;
beforeAll(async () => {
  service = await startService();
  await spreadIds();
  checksum = await checksumOf(service.database);
  const other = await world(service);
  foreign = new Map([['contact', [(await other.contact()).id]]]);
});
afterAll(() => service.close());

/** Lets all ids have six digits, so that they can be told from other numbers. */
async function spreadIds(): Promise<void> {
  await service.database.query(
    `SELECT setval(format('%I', sequencename)::regclass, 100000) FROM pg_sequences
      WHERE schemaname = 'public' AND coalesce(last_value, 0) < 100000`,
  );
}

const stored = async ({ accountId }: World): Promise<unknown> =>
  (await service.database.query<{ all: unknown }>(checksum, [accountId]))[0]?.all;

/** Types of records, and the paths at which they are searched. */
const kinds = [
  ...['contact', 'deal', 'product', 'deal_product', 'event', 'pipeline', 'stage', 'user'],
  ...['webhook', 'token', 'deal_assignee'],
];
const removable = ['event', 'deal_product', 'deal', 'contact', 'product'];

/** An account in which there is something of each kind, and something that was removed. */
class Tried {
  readonly w: World;
  readonly account: Account;

  private constructor(w: World) {
    this.w = w;
    const own = new Map([['user', [w.admin.id, w.member.id]]]);
    const pool = new Pool(foreign, own, 'https://example.com/hook');
    this.account = { id: w.accountId, pool, isProven: () => true };
  }

  static async open(random: Random): Promise<Tried> {
    const tried = new Tried(await world(service));
    await tried.fill(random);
    return tried;
  }

  async fill(random: Random): Promise<void> {
    const { w } = this;
    const { pool } = this.account;
    for (let n = 0; n < 5; n += 1) {
      const { deal_id } = await w.dealProduct();
      await w.rest.post(`/deals/${deal_id}/events`, { kind: 'note', content: unique('x') });
      await w.contact({ email: unique('a'), full_name: `Ana ${n}` });
      await w.product();
      await w.rest.post('/users', { email: unique('user'), password });
      await w.rest.post('/tokens', { name: unique('t') });
      const { body } = await w.rest.post<{ id: number }>('/pipelines', { name: unique('p') });
      await w.rest.post('/stages', { name: unique('s'), pipeline_id: body.id });
      await w.webhook({ enabled: false });
    }
    await this.learn();
    for (const kind of removable) {
      const id = pool.one(random, kind);
      const { status } = await w.rest.delete(`/${kind}s/${id}`);
      if (status === 204) pool.remove(kind, id);
    }
    await this.learn();
  }

  async learn(): Promise<void> {
    const pages = await Promise.all(
      kinds.map((kind) =>
        this.w.rest.post<{ data?: unknown[] }>(`/${kind}s/search`, { per_page: 100 }),
      ),
    );
    for (const [at, kind] of kinds.entries())
      this.account.pool.replace(kind, pages[at]?.body.data ?? []);
  }

  /**
   * Sends a request as a dry run, which must leave every table alone, and then in earnest.
   * @returns what came of it; undefined where there is no dry run of it
   */
  async compare(
    what: string,
    send: (headers: Record<string, string>) => Promise<Answer<unknown>>,
  ): Promise<Answer<unknown> | undefined> {
    const before = await stored(this.w);
    const answer = await send({ prefer: 'dry-run', 'idempotency-key': 'tried' });
    expect([what, await stored(this.w)]).toEqual([what, before]);
    if (answer.text.includes('"Prefer":["must not be dry-run')) return undefined;
    const real = await send({});
    expect([what, shapeOf(answer)]).toEqual([what, shapeOf(real)]);
    return real;
  }
}

/** An answer without ids, moments, versions and ids of requests. */
const shapeOf = ({ status, text, headers }: Answer<unknown>) => ({
  status,
  text: text
    .replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"a moment"')
    .replace(/"(?:[0-9a-f]{32}|\d{3,})"/g, '"a version"')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'a request')
    .replace(/\d{6,}/g, '#'),
  type: headers['content-type'],
  ignored: headers['x-ignored-fields'],
  hasEtag: Boolean(headers.etag),
  location: headers.location?.replace(/\d{6,}/g, '#'),
});

const writes = operations.filter(
  ({ method, searches, template }) =>
    method !== 'GET' && searches === undefined && !/search/.test(template),
);

const tell = (name: string, statuses: ReadonlyMap<unknown, number>) =>
  process.stdout.write(`${name}: ${JSON.stringify([...statuses])}\n`);

test.each(writes.map((operation) => [nameOf(operation), operation] as const))(
  '%s',
  async (name, operation) => {
    const random = new Random(seed);
    const tried = await Tried.open(random);
    const { w, account } = tried;
    const statuses = new Map<unknown, number>();
    for (let n = 0; n < inputs; n += 1) {
      if (n % 5 === 4) await tried.fill(random);
      const { draft, body } = validRequest(random, operation, account);
      const path = draft.path.replace(`/api/v1/accounts/${w.accountId}`, '');
      if (n % 2 === 1 && body && typeof body !== 'string' && 'entries' in body)
        mutateBody(random, body, account.pool);
      const text = body === undefined ? undefined : writeRaw(body);
      const match = random.chance(0.1) ? { 'if-match': random.pick(['*', '"1"']) } : {};
      const type =
        operation.method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
      const real = await tried.compare(`${name} ${path} ${text}`, (headers) =>
        w.rest.send(operation.method, path, text, { ...match, ...type, ...headers }),
      );
      const status = real?.status ?? 'no dry run';
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await tried.learn();
    }
    tell(name, statuses);
  },
  300_000,
);

const mutations = rootFields.flatMap(([kind, field]) => (kind === 'mutation' ? [field] : []));

test.each(mutations.map((field) => [field.name, field] as const))(
  '%s',
  async (name, field) => {
    const random = new Random(seed);
    const tried = await Tried.open(random);
    const { w, account } = tried;
    const statuses = new Map<unknown, number>();
    for (let n = 0; n < inputs; n += 1) {
      if (n % 5 === 4) await tried.fill(random);
      const { text, variables } = new Writer(random, account).document('mutation', [field]);
      if (n % 4 === 3) mutateBody(random, variables, account.pool);
      const values = writeRaw(variables);
      const real = await tried.compare(`${text}\n${values}`, (headers) =>
        w.graphql.send(text, values, headers),
      );
      const status = real ? (/"code":"(\w+)"/.exec(real.text)?.[1] ?? 'done') : 'no dry run';
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await tried.learn();
    }
    tell(name, statuses);
  },
  300_000,
);
