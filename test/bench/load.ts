/** Sends requests to a service for some time and reports what came back. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation, Request } from './operations/operation.ts';
import { operationNamed } from './operations.ts';
import { type Spread, spread } from './percentiles.ts';
import { type Answer, Wire, written } from './wire.ts';

export interface Load {
  readonly port: number;
  readonly token: string;
  /** Size of the database, which its ids are computed from. */
  readonly contacts: number;
  /** How often each operation is asked for, among all, by its name. */
  readonly mix: Readonly<Record<string, number>>;
  /** Of each operation, the number of the first request. */
  readonly first: number;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Requests a second, sent when they are due whatever has become of those before; without it
   * each connection asks again at every answer.
   */
  readonly rate?: number;
  /** Takes away again what it creates. */
  readonly removes?: boolean;
  /** Seconds between reports on the way. */
  readonly every?: number;
}

export interface Report extends Spread {
  /** Answers of the right status; `p50` and `p99` are theirs, in milliseconds. */
  readonly good: number;
  /** How many answers had each of the other statuses. */
  readonly others: Readonly<Record<string, number>>;
  /** Answers of 503 that do not say when to try again. */
  readonly bare: number;
  /** Our ends of the connections that a request was lost with. */
  readonly broken: readonly number[];
  /** Requests that were due when no connection was free. */
  readonly unsent: number;
}

export type News =
  | { readonly kind: 'started' | 'stopped' }
  | { readonly kind: 'report'; readonly report: Report }
  /** `asked`: no operation was asked for more often. */
  | { readonly kind: 'done'; readonly report: Report; readonly asked: number };

/** Everything that is not as it should be in a report. */
export function faultsOf({ others, broken, unsent }: Report): number {
  return Object.values(others).reduce((sum, count) => sum + count, 0) + broken.length + unsent;
}

class Tally {
  #good: number[] = [];
  #others: Record<string, number> = {};
  #bare = 0;
  #broken: number[] = [];
  #unsent = 0;

  answered(expected: number, { status, retryAfter }: Answer, ms: number): void {
    if (status === expected) this.#good.push(ms);
    else this.#others[status] = (this.#others[status] ?? 0) + 1;
    if (status === 503 && !retryAfter) this.#bare += 1;
  }

  broken(port: number): void {
    this.#broken.push(port);
  }

  unsent(): void {
    this.#unsent += 1;
  }

  report(): Report {
    return {
      good: this.#good.length,
      ...spread(this.#good),
      others: this.#others,
      bare: this.#bare,
      broken: this.#broken,
      unsent: this.#unsent,
    };
  }
}

/** An operation that is asked for again and again. */
class Source {
  readonly #operation: Operation;
  readonly #removes: boolean;
  readonly #created: number[] = [];
  #next: number;

  constructor(operation: Operation, { first, removes = false }: Load) {
    this.#operation = operation;
    this.#next = first;
    this.#removes = removes;
  }

  get next(): number {
    return this.#next;
  }

  ask(): { request: Request; status: number } {
    const { request, status, removal } = this.#operation;
    const id = removal && this.#created.pop();
    return id !== undefined && removal
      ? { request: removal(id), status: 204 }
      : { request: request(this.#next++), status };
  }

  created(id: number | undefined): void {
    if (this.#removes && id !== undefined) this.#created.push(id);
  }
}

/** What a connection has asked for. */
interface Asked {
  readonly source: Source;
  readonly status: number;
  /** Since when its answer is waited for. */
  readonly since: number;
}

/**
 * At most this many connections are opened or closed at a time: more would overflow the queue of the
 * listener, and real clients do not all leave at the same moment.
 */
const openedAtOnce = 50;
/** An answer that takes longer after the last request is lost. */
const patienceMs = 10_000;

export async function run(load: Load, tell: (news: News) => void): Promise<void> {
  const sources = sourcesOf(load);
  const total = new Tally();
  let recent = new Tally();
  const asked = new Map<Wire, Asked>();
  const wires = new Set<Wire>();
  const idle: Wire[] = [];
  let turn = 0;
  let running = false;
  let over = false;
  let opened = (_: Wire): void => undefined;

  const ask = (wire: Wire, since: number): void => {
    // A step that shares no factor with the length: operations come mixed, each in its share.
    const source = sources[(turn++ * 61) % sources.length];
    if (!source) throw new Error('nothing is asked for');
    const { request, status } = source.ask();
    asked.set(wire, { source, status, since });
    wire.send(written(request, load.token));
  };
  const free = (wire: Wire): void => {
    if (running && load.rate === undefined) ask(wire, performance.now());
    else idle.push(wire);
  };
  const open = (): void => {
    wires.add(
      new Wire(
        load.port,
        {
          answered: (wire, answer) => {
            const { source, status, since } = asked.get(wire) ?? {};
            if (!source || status === undefined || since === undefined) return;
            asked.delete(wire);
            source.created(answer.id);
            for (const tally of [total, recent]) {
              tally.answered(status, answer, performance.now() - since);
            }
            free(wire);
          },
          broken: (wire) => {
            wires.delete(wire);
            if (asked.delete(wire))
              for (const tally of [total, recent]) tally.broken(wire.localPort);
            const place = idle.indexOf(wire);
            if (place >= 0) idle.splice(place, 1);
            setTimeout(() => !over && open(), 10).unref();
          },
        },
        (wire) => opened(wire),
      ),
    );
  };

  await new Promise<void>((done) => {
    let begun = Math.min(openedAtOnce, load.connections);
    opened = (wire) => {
      idle.push(wire);
      if (idle.length === load.connections) done();
      if (begun++ < load.connections) open();
    };
    for (let n = 0; n < begun; n++) open();
  });
  opened = free;
  tell({ kind: 'started' });
  running = true;
  const reports = setInterval(
    () => {
      tell({ kind: 'report', report: recent.report() });
      recent = new Tally();
    },
    1000 * (load.every ?? 1e6),
  );

  const start = performance.now();
  if (load.rate === undefined) {
    for (const wire of idle.splice(0)) ask(wire, start);
    await sleep(1000 * load.seconds);
  } else {
    const all = load.rate * load.seconds;
    for (let sent = 0; sent < all; await sleep(1)) {
      const due = Math.min(all, ((performance.now() - start) / 1000) * load.rate);
      for (; sent < due; sent++) {
        const wire = idle.shift();
        if (wire) ask(wire, start + (1000 * sent) / load.rate);
        else for (const tally of [total, recent]) tally.unsent();
      }
    }
  }
  running = false;
  clearInterval(reports);
  tell({ kind: 'stopped' });
  for (const end = performance.now() + patienceMs; asked.size > 0 && performance.now() < end; ) {
    await sleep(10);
  }
  for (const wire of asked.keys()) total.broken(wire.localPort);
  over = true;
  let closed = 0;
  for (const wire of wires) {
    wire.close();
    if (++closed % openedAtOnce === 0) await sleep(20);
  }
  if (load.every !== undefined) tell({ kind: 'report', report: recent.report() });
  const max = Math.max(...sources.map((source) => source.next - load.first));
  tell({ kind: 'done', report: total.report(), asked: max });
}

/** Each operation as often as its share of the mix. */
function sourcesOf(load: Load): Source[] {
  return Object.entries(load.mix).flatMap(([name, weight]) =>
    new Array<Source>(weight).fill(new Source(operationNamed(name, load.contacts), load)),
  );
}
