/** Sends requests a few at a time, judges every answer, and remembers what was written. */

import type { Accounts } from './accounts.ts';
import { typeOf } from './documents.ts';
import { asCommand, type Draft, written } from './draft.ts';
import { judgeGraphql } from './graphql_verdict.ts';
import { changedSince, type Done, Ledger } from './ledger.ts';
import { typeOfParameter } from './operations.ts';
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

  constructor(port: number, accounts: Accounts) {
    this.accounts = accounts;
    this.pool = new Pool(accounts.foreign.ids, accounts.own);
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
      if (kind !== 'read') this.report.cover(draft.name, done);
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
    const requestId = answer.headers.get('x-request-id') ?? '';
    let entries = 0;
    let updates = 0;
    const changed: Done['changed'][number][] = [];
    for (const { name, value } of roots) {
      const verb = /^(create|update|upsert|delete)_/.exec(name)?.[1];
      if (verb === undefined) continue;
      const type = typeOf(name);
      const record = isJson(value) && verb === 'upsert' ? value[type] : value;
      if (verb === 'create' || (verb === 'delete' && !mayBeOver(type))) entries += 1;
      else {
        updates += 1;
        changed.push(...changedSince(type, record, answer.since));
      }
      if (verb === 'delete' && isJson(record)) this.pool.forget(type, Number(record.id));
      else this.#note(type, record, command);
    }
    if (entries + updates > 0) {
      this.ledger.add({
        request: roots.map(({ name }) => name).join(),
        requestId,
        entries,
        changed,
      });
    }
    return roots.length > 0;
  }

  #noteRest(draft: Draft, answer: Answer, command: () => string): void {
    const { name, operation, method } = draft;
    const { status, headers } = answer;
    if (!operation) return;
    const id = Number(draft.path.split('/').at(-1));
    if (status >= 300) {
      if (status === 404) this.pool.forget(typeOfParameter(operation.template, 'id'), id);
      return;
    }
    const body = jsonOf(answer);
    const type = operation.shows;
    if (operation.searches !== undefined) return;
    if (method === 'GET') {
      if (type !== undefined) this.pool.learn(type, body);
      return;
    }
    const requestId = headers.get('x-request-id') ?? '';
    const removed = method === 'DELETE' ? typeOfParameter(operation.template, 'id') : '';
    const entries = status === 200 || mayBeOver(removed) ? 0 : 1;
    this.ledger.add({
      request: name,
      requestId,
      entries,
      changed: status === 200 ? changedSince(type ?? '', body, answer.since) : [],
    });
    if (type !== undefined) this.#note(type, body, command);
    else this.pool.forget(typeOfParameter(operation.template, 'id'), id);
  }

  #note(type: string, record: unknown, command: () => string): void {
    if (!isJson(record) || typeof record.id !== 'number') return;
    this.pool.learn(type, record);
    const key = `${type} ${record.id}`;
    this.recent.set(key, [...(this.recent.get(key) ?? []), command()]);
  }
}

/** Whether what was removed may have been so before: a revoked token is still there to be named. */
const mayBeOver = (type: string): boolean => type === 'token';

/** Of what {@link conforms} says, the end: before it stand request and answer. */
const reasonOf = (message: string): string => {
  const answered = / answered (\d+) /.exec(message)?.[1];
  return answered === undefined
    ? message
    : `${answered}: ${message.slice(message.lastIndexOf('}: ') + 3)}`;
};
