/** Sends requests a few at a time, judges every answer, and remembers what was written. */

import type { Accounts } from './accounts.ts';
import { isMutation, shownBy, typeOf } from './documents.ts';
import { asCommand, type Draft, written } from './draft.ts';
import { judgeGraphql, type Root } from './graphql_verdict.ts';
import { changedSince, Ledger } from './ledger.ts';
import { subjectOf } from './operations.ts';
import { isJson, Pool } from './pool.ts';
import { Report } from './report.ts';
import { isLarge, jsonOf, judgeRest, placeOf } from './rest_verdict.ts';
import { type Answer, Wire } from './wire.ts';

/** A request that is made when its turn comes, and what it counts as. */
export interface Asking {
  readonly kind: 'REST' | 'GraphQL' | 'read';
  readonly make: () => Draft;
  /** Called for an answer that is as it should be. */
  readonly right?: (answer: Answer, draft: Draft) => void;
  /** Called when something is wrong with it. */
  readonly wrong?: (status: number | undefined) => void;
}

/** Requests under way at once: the service is not to be loaded, only to be asked. */
const inFlight = 8;

export class Session {
  readonly pool: Pool;
  readonly report = new Report();
  readonly ledger = new Ledger();
  readonly accounts: Accounts;
  /** What has written a record since all was read back, by its type and id. */
  readonly recent = new Map<string, string[]>();
  readonly #wires: readonly Wire[];

  /** @param receiver the URL of what takes webhooks */
  constructor(port: number, accounts: Accounts, receiver: string) {
    this.accounts = accounts;
    this.pool = new Pool(accounts.foreign.ids, accounts.own, receiver);
    for (const id of accounts.sessions) this.pool.learn('session', { id });
    this.#wires = Array.from({ length: inFlight }, () => new Wire(port));
  }

  close(): void {
    for (const wire of this.#wires) wire.close();
  }

  /** Asks all of it, in order but for what is under way at once. */
  async ask(askings: readonly Asking[]): Promise<void> {
    const left = askings[Symbol.iterator]();
    await Promise.all(
      this.#wires.map(async (wire) => {
        for (const asking of left) await this.#askOne(wire, asking);
      }),
    );
  }

  async #askOne(wire: Wire, { kind, make, right, wrong }: Asking): Promise<void> {
    const draft = make();
    const bytes = written(draft, this.accounts.tokens);
    const command = () => asCommand(bytes);
    let answer: Answer | undefined;
    try {
      answer = await wire.send(bytes, draft.method !== 'HEAD');
      const done = this.#judge(draft, answer, command);
      this.report.count(kind, answer.status, done);
      if (kind !== 'read') this.report.cover(draft.name, done, `${answer.status} ${answer.text}`);
      right?.(answer, draft);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const { operation, method, name } = draft;
      // Who is refused while he still sends may find the connection closed before he reads.
      if (!answer && isLarge(draft)) return this.report.count(kind, 413, false);
      const own = operation?.method === method ? name : method;
      const otherwise = operation ? own : 'GraphQL';
      const place = draft.head ? 'HTTP itself' : otherwise;
      const told = answer
        ? `${answer.bytes.toString('utf8').slice(0, 1500)}`
        : 'there was no answer';
      if (answer) this.report.count(kind, answer.status, false);
      this.report.fail(`${place}: ${reasonOf(reason)}`, `${command()}\n${told}\n`);
      wrong?.(answer?.status);
    }
  }

  /** @returns whether what was asked was done */
  #judge(draft: Draft, answer: Answer, command: () => string): boolean {
    const { marker } = this.accounts.foreign;
    if (placeOf(draft) !== '/graphql') {
      const template = judgeRest(draft, answer, marker);
      const asAsked =
        template === draft.operation?.template && draft.method === draft.operation?.method;
      if (asAsked) this.#noteRest(draft, answer, command);
      return asAsked && answer.status < 300;
    }
    const roots = judgeGraphql(draft, answer, marker);
    this.#noteGraphql(draft, roots, answer, command);
    return roots.length > 0;
  }

  #noteGraphql(draft: Draft, roots: readonly Root[], answer: Answer, command: () => string): void {
    const written = roots.filter(({ name }) => isMutation(name));
    if (written.length === 0) return;
    const changed = written.flatMap(({ name, value }) => {
      const type = shownBy(name);
      const record = recordIn(value, type);
      if (isRemoval(name) && isJson(record)) this.pool.remove(typeOf(name), Number(record.id));
      else this.#note(type, record, command);
      return hasEntry(name) ? [] : changedSince(type, record, answer.since);
    });
    this.ledger.add({
      request: written.map(({ name }) => name).join(),
      requestId: this.#requestOf(answer),
      entries: written.reduce((sum, { name, value }) => sum + entriesOf(name, value, draft), 0),
      changed,
    });
  }

  #noteRest(draft: Draft, answer: Answer, command: () => string): void {
    const { name, operation, method } = draft;
    const { status } = answer;
    if (!operation) return;
    const id = Number(draft.path.split('/').at(-1));
    const subject = subjectOf(operation);
    if (status >= 300) {
      if (status === 404) this.pool.forget(subject, id);
      return;
    }
    const body = jsonOf(answer);
    const type = operation.shows;
    if (operation.searches !== undefined) return;
    if (method === 'GET') {
      if (type !== undefined) this.pool.learn(type, body);
      return;
    }
    const isNew = status === 201 ? 1 : 0;
    this.ledger.add({
      request: name,
      requestId: this.#requestOf(answer),
      entries: Math.max(isNew, entriesOf(operation.id, body, draft)),
      changed:
        status === 200 && !hasEntry(operation.id)
          ? changedSince(type ?? '', body, answer.since)
          : [],
    });
    if (type !== undefined) this.#note(type, body, command);
    else this.pool.remove(subject, id);
  }

  /** The id of a request that wrote something, which is remembered. */
  #requestOf({ headers }: Answer): string {
    const id = headers.get('x-request-id') ?? '';
    this.pool.noteRequest(id);
    return id;
  }

  #note(type: string, record: unknown, command: () => string): void {
    if (!isJson(record) || typeof record.id !== 'number') return;
    this.pool.learn(type, record);
    const key = `${type} ${record.id}`;
    this.recent.set(key, [...(this.recent.get(key) ?? []), command()]);
  }
}

/** Operations that write an entry whenever they are done; others may find nothing to change. */
const hasEntry = (name: string): boolean =>
  /^(create|delete|invite|restore|merge|erase|rotate|test|retry|replay)_/.test(name) &&
  // A revoked token is still there to be named, and views are no records of the account.
  !/^(delete_token|\w+_saved_view)$/.test(name);

const isRemoval = (name: string): boolean => /^(delete|erase)_/.test(name);

/** How many audit entries an operation wrote at least. */
function entriesOf(name: string, shown: unknown, { body }: Draft): number {
  if (!name.startsWith('batch_')) return hasEntry(name) ? 1 : 0;
  const results = isJson(shown) && Array.isArray(shown.results) ? shown.results : [];
  // Of those that were updated, some were as they should be.
  const whole = results.filter((one) => isJson(one) && (one.status === 201 || one.status === 204));
  return body?.includes('dry_run') ? 0 : whole.length;
}

/** The record that a root field shows, or holds beside something else. */
const recordIn = (value: unknown, type: string): unknown =>
  isJson(value) && isJson(value[type]) && value.id === undefined ? value[type] : value;

/** Of what {@link conforms} says, the end: before it stand request and answer. */
const reasonOf = (message: string): string => {
  const answered = / answered (\d+) /.exec(message)?.[1];
  return answered === undefined
    ? message
    : `${answered}: ${message.slice(message.lastIndexOf('}: ') + 3)}`;
};
