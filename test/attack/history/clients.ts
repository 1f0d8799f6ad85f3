/** Twelve clients who change deals, and say what they did and saw. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Change, Parameters } from '../../kit/feed.ts';
import { changes } from '../../kit/feed.ts';
import type { Client } from '../../kit/http.ts';
import type { Deal } from '../../kit/records.ts';
import { Rest } from '../../kit/rest.ts';
import type { World } from '../../kit/world.ts';
import { again } from '../scene.ts';
import { anomaliesOf, type Operation } from './checker.ts';

const clients = 12;

/** Deals that are changed at a time: few, so that clients meet. */
const deals = 5;

/** Elements after which a list makes way for another. */
const longest = 60;

const merge = { 'content-type': 'application/merge-patch+json' };

/** How long an answer may take, in milliseconds: of a process that was killed in the middle of one nothing more comes. */
const patienceMs = 10_000;

/** Undefined where no answer comes. */
async function answerOf<T>(answer: Promise<T>): Promise<T | undefined> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const late = sleep(patienceMs, undefined, { signal }).catch(() => undefined);
  return Promise.race([answer.catch(() => undefined), late]).finally(() => waiting.abort());
}

interface Shown {
  readonly id: number;
  readonly custom_attributes: Readonly<Record<string, unknown>>;
  readonly total_deal_products_amount_in_cents: number;
  readonly deal_products: readonly { readonly total_amount_in_cents: number }[];
}

const question = `query ($account: Integer!, $query: SearchQuery!) {
  deals(account_id: $account, query: $query, per_page: 10) {
    data {
      id custom_attributes total_deal_products_amount_in_cents
      deal_products(limit: 100) { total_amount_in_cents }
    }
  }
}`;

export class History {
  readonly operations: Operation[] = [];
  /** Found while it went on. */
  readonly anomalies: string[] = [];
  readonly counts = { appends: 0, reads: 0, moves: 0, products: 0, followed: 0 };
  readonly #w: World;
  readonly #connect: () => Client;
  readonly #active: number[] = [];
  readonly #contactId: number;
  readonly #productId: number;
  /** Of products that were attached: the key by which they were, and the answers. */
  readonly #attachments = new Map<string, Set<number>>();
  #elements = 0;

  private constructor(
    w: World,
    connect: () => Client,
    { contactId, productId }: { contactId: number; productId: number },
  ) {
    this.#w = w;
    this.#connect = connect;
    this.#contactId = contactId;
    this.#productId = productId;
  }

  /** @param connect opens connections of their own, which the service divides among its workers */
  static async open(w: World, connect: () => Client): Promise<History> {
    const { id: contactId } = await w.contact();
    const { id: productId } = await w.product({ amount_in_cents: 1 });
    const history = new History(w, connect, { contactId, productId });
    for (let n = 0; n < deals; n += 1) await history.#renew(n);
    return history;
  }

  /** Works until `end`, and looks at everything once it is over. */
  async run(end: Promise<unknown>): Promise<readonly string[]> {
    const from = (await changes(this.#w.rest, { after: 'now' })).next;
    const followers = [3, 20, 100].map((limit) => this.#follow(from, limit));
    await again(clients, end, () => this.#act());
    await this.#persist(() => this.#w.rest.post('/products', { name: 'The last one' }));
    const feeds = await Promise.all(followers);
    await this.#look(feeds, await this.#follow(from, 1000));
    return this.anomalies;
  }

  #act(): Promise<unknown> {
    const dice = Math.random();
    if (dice < 0.4) return this.#append();
    if (dice < 0.6) return this.#read();
    if (dice < 0.7) return this.#readPlaces();
    return dice < 0.85 ? this.#move() : this.#attach();
  }

  get #at(): number {
    return Math.floor(Math.random() * deals);
  }

  async #renew(at: number): Promise<void> {
    const creation = this.#w.deal({ contact_id: this.#contactId, name: `Deal ${at}` });
    const deal = await answerOf(creation);
    if (deal) this.#active[at] = deal.id;
  }

  async #append(): Promise<void> {
    const at = this.#at;
    const key = this.#active[at] ?? 0;
    const element = `e_${++this.#elements}`;
    const began = performance.now();
    const append = { key, element };
    const body = { name: element, custom_attributes: { [element]: 1 } };
    const answer = await answerOf(this.#w.rest.send<Shown>('PATCH', `/deals/${key}`, body, merge));
    if (answer?.status === 409) return;
    if (answer?.status !== 200) {
      this.operations.push({ began, ended: Number.POSITIVE_INFINITY, append, reads: [] });
      return;
    }
    const elements = Object.keys(answer.body.custom_attributes);
    this.operations.push({ began, ended: performance.now(), append, reads: [[key, elements]] });
    this.counts.appends += 1;
    if (elements.length >= longest && this.#active[at] === key) await this.#renew(at);
  }

  /** Some deals in one statement, with their totals and what these are the sums of. */
  async #read(): Promise<void> {
    const began = performance.now();
    const variables = { account: this.#w.accountId, query: { id_in: [...this.#active] } };
    const answer = await answerOf(
      this.#w.graphql.send<{ deals: { data: Shown[] } }>(question, variables),
    );
    if (answer?.status !== 200 || !answer.body.data) return;
    const ended = performance.now();
    const { data } = answer.body.data.deals;
    const reads = data.map(
      ({ id, custom_attributes }) => [id, Object.keys(custom_attributes)] as const,
    );
    this.operations.push({ began, ended, reads });
    this.counts.reads += 1;
    for (const { id, total_deal_products_amount_in_cents: total, deal_products } of data) {
      const sum = deal_products.reduce((sum, each) => sum + each.total_amount_in_cents, 0);
      if (sum !== total)
        this.anomalies.push(`total of ${id} is ${total} where products are ${sum}`);
    }
  }

  async #readPlaces(): Promise<void> {
    for (const stage_id_eq of this.#w.stageIds.slice(0, 2)) {
      const search = { query: { stage_id_eq, s: 'position' }, per_page: 100 };
      const answer = await answerOf(this.#w.rest.post<{ data: Deal[] }>('/deals/search', search));
      if (answer?.status !== 200) continue;
      const places = answer.body.data.map(({ position }) => position);
      if (places.every((place, at) => place === at + 1)) continue;
      this.anomalies.push(`places of stage ${stage_id_eq} are ${places}`);
    }
  }

  async #move(): Promise<void> {
    const stage_id = this.#w.stageIds[Math.random() < 0.5 ? 0 : 1];
    const body = {
      stage_id,
      position: 1 + Math.floor(Math.random() * 4),
      name: `m_${++this.#elements}`,
    };
    const answer = await answerOf(this.#w.rest.put(`/deals/${this.#active[this.#at]}`, body));
    if (answer?.status === 200) this.counts.moves += 1;
    if (answer?.status === 500) this.anomalies.push('a move was answered with 500');
  }

  /**
   * With a key, until there is an answer, and mostly four times at once. A worker sees to it by itself that it does no
   * more than one of these at a time, and open connections lead to the worker that lives longest: so each has its own.
   */
  async #attach(): Promise<void> {
    const key = `p_${++this.#elements}`;
    const deal_id = this.#active[this.#at];
    const body = { deal_id, product_id: this.#productId, product_name: key, quantity: 1 };
    const { accountId, admin } = this.#w;
    const send = async () => {
      const client = this.#connect();
      const rest = new Rest(client, accountId, admin.token);
      const answer = await this.#persist(() =>
        rest.post<{ id: number }>('/deal_products', body, { 'idempotency-key': key }),
      );
      client.close();
      return answer;
    };
    const answers = await Promise.all(Array.from({ length: Math.random() < 0.8 ? 4 : 1 }, send));
    const ids = answers.flatMap(({ status, body }) => (status === 201 ? body.id : []));
    if (ids.length > 0) this.#attachments.set(key, new Set(ids));
    this.counts.products += 1;
  }

  /** Asks again until the service says what came of it. */
  async #persist<A extends { readonly status: number }>(ask: () => Promise<A>): Promise<A> {
    for (let n = 0; ; n += 1) {
      const answer = await answerOf(ask());
      const isSettled = answer !== undefined && answer.status < 500 && answer.status !== 409;
      if (isSettled) return answer;
      if (n > 300) throw new Error(`no answer but ${answer?.status}`);
      await sleep(50);
    }
  }

  /** Follows the feed to the last change. */
  async #follow(from: string, limit: number): Promise<readonly Change[]> {
    const feed: Change[] = [];
    let after = from;
    const until = performance.now() + 600_000;
    while (performance.now() < until) {
      const parameters: Parameters = { after, limit, wait: 1 };
      const page = await answerOf(changes(this.#w.rest, parameters));
      if (!page) {
        await sleep(50);
        continue;
      }
      after = page.next;
      feed.push(...page.data);
      this.counts.followed += page.data.length;
      // What follows is of requests whose process was killed: nobody waits for it.
      const end = feed.findIndex((change) => change.after?.name === 'The last one');
      if (end >= 0) return feed.slice(0, end + 1);
    }
    return feed;
  }

  /** What is to be said of it all in the end. */
  async #look(feeds: readonly (readonly Change[])[], all: readonly Change[]): Promise<void> {
    const { database } = this.#w.service;
    const rows = await database.query<{ id: number; attributes: string }>(
      'SELECT id, custom_attributes::text AS attributes FROM deals WHERE account_id = $1',
      [this.#w.accountId],
    );
    const last = new Map(
      rows.map(({ id, attributes }) => [id, Object.keys(JSON.parse(attributes))]),
    );
    this.anomalies.push(...anomaliesOf(this.operations, last));
    await this.#lookAtProducts();
    const textOf = ({ cursor: _, ...change }: Change) => JSON.stringify(change);
    const whole = all.map(textOf).join('\n');
    feeds.forEach((feed, at) => {
      if (feed.map(textOf).join('\n') === whole) return;
      this.anomalies.push(
        `follower ${at} was told ${feed.length} changes of ${all.length}, or in another order`,
      );
    });
    const names = new Map<number, unknown>();
    for (const { record_type, record_id, before, after } of all) {
      if (record_type !== 'deal' || after?.name === undefined) continue;
      const known = names.get(record_id);
      if (before && known !== undefined && before.name !== known) {
        this.anomalies.push(
          `the feed has deal ${record_id} go from ${before.name}, after ${known}`,
        );
      }
      names.set(record_id, after.name);
    }
  }

  async #lookAtProducts(): Promise<void> {
    const rows = await this.#w.service.database.query<{ id: number; product_name: string }>(
      'SELECT id, product_name FROM deal_products WHERE account_id = $1 ORDER BY id',
      [this.#w.accountId],
    );
    const byName = new Map<string, number[]>();
    for (const { id, product_name: name } of rows)
      byName.set(name, [...(byName.get(name) ?? []), id]);
    for (const [name, ids] of byName) {
      if (ids.length > 1) this.anomalies.push(`${name} was attached ${ids.length} times`);
    }
    for (const [name, ids] of this.#attachments) {
      if (String([...ids]) === String(byName.get(name))) continue;
      this.anomalies.push(`${name} was answered with ${[...ids]}, and is ${byName.get(name)}`);
    }
  }
}
