/**
 * Days of deliveries by several processes in milliseconds: the service's own dispatchers, with a clock, a database and
 * receivers of this folder. Everything that happens follows from a seed.
 */
import { Dispatcher } from '../../src/delivery/dispatcher.ts';
import type { Attempt, Message } from '../../src/delivery/send.ts';
import { limitMs } from '../../src/delivery/send.ts';
import { type DeliveryStore, statementMs } from '../../src/delivery/store.ts';
import { seeded } from '../kit/seeded.ts';
import { Agenda, type Doer } from './agenda.ts';
import { type Hook, Tables } from './tables.ts';
import { Witness } from './witness.ts';

const second = 1000;
const hour = 3600 * second;
export const day = 24 * hour;

/** How a receiver is: well, slow, silent, or answering 500. */
const moods = ['well', 'slow', 'silent', 'failing'] as const;
type Mood = (typeof moods)[number];

interface Process extends Doer {
  readonly name: string;
  readonly dispatcher: Dispatcher;
  readonly listeners: Map<number, () => void>;
}

/** What a simulation came to. */
export interface Outcome {
  /** What must not be, in words. */
  readonly faults: readonly string[];
  readonly changes: number;
  readonly attempts: number;
  /** Of receivers that were well all the time, the longest from a change to its first message, in milliseconds. */
  readonly longest: number;
  /** What happened, line by line. */
  readonly trace: string;
}

export interface Wishes {
  readonly days?: number;
  readonly tables?: Tables;
  /** Whether to write down what happens, for a seed that failed. */
  readonly isTraced?: boolean;
}

/** Resolves once nothing waits for anything that has happened. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

class Simulation {
  readonly #below: (below: number) => number;
  readonly #agenda = new Agenda();
  readonly #tables: Tables;
  readonly #witness: Witness;
  readonly #processes: Process[] = [];
  readonly #moods = new Map<string, Mood>();
  readonly #end: number;
  /** Whether processes are killed and halted, and statements fail. */
  readonly #isRough: boolean;
  #started = 0;
  #changes = 0;

  constructor(seed: number, { days = 5, tables = new Tables(), isTraced = false }: Wishes) {
    this.#below = seeded(seed);
    // The first numbers of neighbouring seeds are alike.
    for (let n = 0; n < 5; n += 1) this.#below(2);
    this.#tables = tables;
    this.#end = days * day;
    this.#isRough = this.#below(3) > 0;
    this.#witness = new Witness(this.#agenda, this.#isRough, isTraced);
  }

  async run(): Promise<Outcome> {
    const accounts = 1 + this.#below(3);
    for (let id = 1; id <= accounts; id += 1) this.#tables.changes.set(id, []);
    const hooks = accounts + this.#below(8);
    for (let id = 1; id <= hooks; id += 1) this.#addHook(id, 1 + (id % accounts));
    const processes = 1 + this.#below(3);
    for (let n = 0; n < processes; n += 1) this.#start();
    for (let n = 2 + this.#below(3); n > 0; n -= 1) {
      this.#agenda.add(this.#below(this.#end - hour), () => this.#write(1 + this.#below(6)));
    }
    if (this.#below(4) === 0) {
      this.#agenda.add(this.#below(this.#end - hour), () => this.#flood());
    }
    if (this.#isRough) {
      for (let n = this.#below(8); n > 0; n -= 1) {
        this.#agenda.add(this.#below(this.#end - hour), () => this.#disturb());
      }
    }
    const next = () => this.#tables.next(this.#agenda.now);
    await this.#agenda.run(this.#end, settle, next);
    for (const { dispatcher, isAlive } of this.#processes) if (isAlive) void dispatcher.close();
    await this.#agenda.run(this.#end + 30 * second, settle, next);
    this.#witness.end(this.#tables, this.#end);
    const { faults, attempts, longest, trace } = this.#witness;
    return { faults, attempts, longest, trace: trace.join('\n'), changes: this.#changes };
  }

  /** Every third receiver is well all the time, and some have two webhooks. */
  #addHook(id: number, accountId: number): void {
    const isShared = id > 1 && this.#below(8) === 0;
    const url = `https://${isShared ? id - 1 : id}.example`;
    const hook = { id, accountId, url, isEnabled: true, place: 0, failingSince: undefined };
    this.#tables.hooks.push(hook);
    if (this.#moods.has(url)) return;
    this.#moods.set(url, 'well');
    const isTrusted = id % 3 === 1;
    if (isTrusted) this.#witness.trust(url);
    for (let n = isTrusted ? 0 : this.#below(4); n > 0; n -= 1) {
      const mood = moods[this.#below(moods.length)] ?? 'well';
      this.#agenda.add(this.#below(this.#end), () => this.#change(url, mood));
    }
  }

  #start(): void {
    const name = `process ${++this.#started}`;
    const listeners = new Map<number, () => void>();
    const doer = { isAlive: true, haltedUntil: 0 };
    // Each has a clock of its own, which began at another time.
    const offset = this.#below(10 * day);
    const process: Process = Object.assign(doer, {
      ...{ name, listeners },
      dispatcher: new Dispatcher({
        store: this.#storeOf(name, doer),
        timing: {
          now: () => this.#agenda.now + offset,
          after: (ms, work) => this.#agenda.add(ms, work, { doer, isPoll: ms >= second }),
          soon: (work) => this.#agenda.add(0, work, { doer }),
        },
        watch: {
          listen: (accountId, heard) => {
            listeners.set(accountId, heard);
            return () => listeners.delete(accountId);
          },
        },
        send: (message, stopping) => this.#send(name, doer, message, stopping),
        log: { warn: () => undefined },
      }),
    });
    this.#processes.push(process);
    this.#witness.note(`${name} starts`);
    process.dispatcher.wake();
  }

  /** Changes come in bursts, each in one account. */
  #write(count: number): void {
    const accountId = 1 + this.#below(this.#tables.changes.size);
    const changes = this.#tables.changes.get(accountId) ?? [];
    for (let n = 0; n < count; n += 1) {
      const message = `msg_${++this.#changes}`;
      changes.push(message);
      this.#witness.written(message);
    }
    this.#witness.note(`${count} changes of account ${accountId}`);
    for (const process of this.#processes) {
      const { listeners } = process;
      const hear = () => listeners.get(accountId)?.();
      this.#agenda.add(this.#below(500), hear, { doer: process });
    }
  }

  /** More changes than can be sent at once, to receivers that become slow meanwhile. */
  #flood(): void {
    this.#write(10 + this.#below(50));
    if (this.#isRough) this.#agenda.add(this.#below(20 * second), () => this.#disturb());
    for (const url of this.#moods.keys()) {
      if (this.#witness.trusts(url) || this.#below(4) === 0) continue;
      this.#agenda.add(this.#below(2 * second), () => this.#change(url, 'slow'));
      this.#agenda.add(2 * second + this.#below(600 * second), () => this.#change(url, 'well'));
    }
  }

  #change(url: string, mood: Mood): void {
    this.#moods.set(url, mood);
    this.#witness.note(`${url} is ${mood}`);
  }

  /** Something befalls a process. One that is gone is replaced after a while. */
  #disturb(): void {
    const alive = this.#processes.filter(({ isAlive }) => isAlive);
    const process = alive[this.#below(alive.length)];
    if (!process) return;
    const what = this.#below(3);
    if (what === 0) {
      process.haltedUntil = this.#agenda.now + this.#below(90 * second);
      this.#witness.note(`${process.name} is halted until ${process.haltedUntil}`);
      this.#witness.excuse(process.name);
      return;
    }
    this.#agenda.add(this.#below(60 * second), () => this.#start());
    if (what === 1) {
      this.#witness.note(`${process.name} closes`);
      void process.dispatcher.close().then(() => {
        process.isAlive = false;
        this.#witness.note(`${process.name} is closed`);
      });
      return;
    }
    process.isAlive = false;
    this.#witness.note(`${process.name} is killed`);
    this.#witness.excuse(process.name);
  }

  /** A statement: when the database does it, when its process hears of that, and whether. */
  #statement<T>(
    name: string,
    doer: Doer,
    work: (now: number) => T,
    failed?: () => void,
  ): Promise<T> {
    const fate = this.#isRough ? this.#below(200) : 200;
    const ms = 1 + this.#below(fate < 10 ? statementMs - 1 : 20);
    return new Promise((resolve, reject) => {
      if (fate < 2) failed?.();
      const fail = () => reject(new Error('the database is away'));
      // It was not done, or was and nobody hears of it.
      if (fate === 0) return void this.#agenda.add(ms, fail, { doer });
      this.#agenda.add(this.#below(ms), () => {
        // Its process may be gone.
        if (!doer.isAlive && this.#below(2) === 0) return;
        const done = work(this.#agenda.now);
        const answer = fate === 1 ? fail : () => resolve(done);
        this.#agenda.add(ms / 2, answer, { doer });
      });
      if (fate === 1) this.#witness.note(`${name} does not hear of a statement`);
    });
  }

  #storeOf(name: string, doer: Doer): DeliveryStore {
    const tables = this.#tables;
    const run = <T>(work: (now: number) => T, failed?: () => void) =>
      this.#statement(name, doer, work, failed);
    const isLocked = (_: Hook) => this.#isRough && this.#below(30) === 0;
    return {
      enabled: () => run(() => tables.enabled()),
      due: (accounts) => run((now) => tables.due(now, accounts)),
      make: (accountId) => run((now) => tables.make(now, accountId, isLocked)),
      claim: (_, webhookId, max) => run((now) => tables.claim(now, webhookId, max)),
      release: (_, ids) => run((now) => tables.release(now, ids)),
      record: (_, results) =>
        run(
          (now) => {
            tables.record(now, results);
            this.#witness.recorded(tables, results);
          },
          () => this.#witness.unrecorded(results),
        ),
      prune: async () => undefined,
    };
  }

  #send(name: string, doer: Doer, message: Message, stopping: AbortSignal) {
    const { url, body, message_id } = message;
    const id = Number(body);
    const mood = this.#moods.get(url) ?? 'well';
    this.#witness.begins(name, id, message_id, url);
    return new Promise<Attempt | undefined>((resolve) => {
      const ms = {
        well: 5 + this.#below(200),
        slow: this.#below(2) === 0 ? this.#below(limitMs) : limitMs - 1 - this.#below(second),
        silent: limitMs,
        failing: 5 + this.#below(50),
      }[mood];
      const isWell = mood === 'well' || mood === 'slow';
      let isOver = false;
      const end = (attempt: Attempt | undefined) => {
        if (isOver) return;
        isOver = true;
        stopping.removeEventListener('abort', cut);
        this.#witness.ends(name, id);
        resolve(attempt);
      };
      const cut = () => {
        this.#witness.excuseOne(id);
        end(undefined);
      };
      // A receiver does with a message what it does, whoever waits for its answer.
      this.#agenda.add(ms / 2, () => {
        if (isWell && doer.isAlive && !isOver) this.#witness.receives(name, id, message_id, url);
      });
      const error = isWell ? null : mood;
      const outcome = { status: isWell ? 204 : null, answer: null, error, duration_ms: ms };
      this.#agenda.add(ms, () => end({ outcome, restMs: 0 }), { doer });
      stopping.addEventListener('abort', cut);
    });
  }
}

/** Runs what follows from a seed. */
export const simulate = (seed: number, wishes: Wishes = {}): Promise<Outcome> =>
  new Simulation(seed, wishes).run();
