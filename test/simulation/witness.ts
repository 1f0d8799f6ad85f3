/** Watches a simulation for what must not be. */

import type { Result } from '../../src/delivery/claims.ts';
import { atOnce } from '../../src/delivery/queue.ts';
import type { Agenda } from './agenda.ts';
import type { Tables } from './tables.ts';

/**
 * Within this time a receiver that is well has each change, in milliseconds: neighbours take ten seconds to show that
 * they are slow, and sixty changes that have come meanwhile some more.
 */
const fairMs = 16_000;

/** How long before the end the last deliveries may have come due, in milliseconds: a claim lasts for thirty seconds. */
const overdueMs = 120_000;

/** No delivery that is pending waits longer: a day after the last failure but one. */
const longestPauseMs = 86_400_000;

/** What is known of a delivery. */
interface Known {
  /** Who sends it now. */
  readonly senders: string[];
  /** Who has sent it well, as long as that is not recorded. */
  sender: string | undefined;
  received: number;
  isRecorded: boolean;
  /** Whether something befell its process or the database: it may then be sent again. */
  isExcused: boolean;
}

export class Witness {
  readonly faults: string[] = [];
  readonly trace: string[] = [];
  attempts = 0;
  longest = 0;
  readonly #agenda: Agenda;
  readonly #isRough: boolean;
  readonly #isTraced: boolean;
  readonly #known = new Map<number, Known>();
  readonly #writtenAt = new Map<string, number>();
  /** Receivers that are well all the time. */
  readonly #trusted = new Set<string>();
  readonly #sendingTo = new Map<string, number>();

  constructor(agenda: Agenda, isRough: boolean, isTraced: boolean) {
    this.#agenda = agenda;
    this.#isRough = isRough;
    this.#isTraced = isTraced;
  }

  note(line: string): void {
    if (this.#isTraced) this.trace.push(`${this.#agenda.now} ${line}`);
  }

  trust(url: string): void {
    this.#trusted.add(url);
  }

  trusts(url: string): boolean {
    return this.#trusted.has(url);
  }

  written(message: string): void {
    this.#writtenAt.set(message, this.#agenda.now);
  }

  begins(process: string, id: number, message: string, url: string): void {
    const known = this.#of(id);
    this.attempts += 1;
    this.note(`${process} begins ${id} to ${url}`);
    const what = `${message} (${id}) by ${process}`;
    if (known.senders.length > 0) this.#forbid(known, `two send at once: ${what}`);
    if (known.sender !== undefined) this.#forbid(known, `sent again: ${what}`);
    // Who was halted records what another has claimed meanwhile.
    if (known.isRecorded) this.#forbid(known, `sent although recorded: ${what}`);
    known.senders.push(process);
    const to = `${process} ${url}`;
    const sending = (this.#sendingTo.get(to) ?? 0) + 1;
    if (sending > atOnce) this.#fault(`${to} is sent ${sending} at once`);
    this.#sendingTo.set(to, sending);
    this.#urls.set(id, url);
  }

  ends(process: string, id: number): void {
    const { senders } = this.#of(id);
    const at = senders.indexOf(process);
    if (at >= 0) senders.splice(at, 1);
    const to = `${process} ${this.#urls.get(id)}`;
    this.#sendingTo.set(to, (this.#sendingTo.get(to) ?? 1) - 1);
    this.note(`${process} ends ${id}`);
  }

  receives(process: string, id: number, message: string, url: string): void {
    const known = this.#of(id);
    known.received += 1;
    known.sender = process;
    this.note(`${url} receives ${id}`);
    if (known.received > 1 || !this.#trusted.has(url)) return;
    const ms = this.#agenda.now - (this.#writtenAt.get(message) ?? 0);
    if (this.#isRough) return;
    this.longest = Math.max(this.longest, ms);
    if (ms > fairMs) this.#fault(`${url}, which is well, got ${message} after ${ms} ms`);
  }

  recorded(tables: Tables, results: readonly Result[]): void {
    for (const { id } of results) {
      const known = this.#of(id);
      known.sender = undefined;
      known.isRecorded = tables.deliveries[id - 1]?.status === 'delivered';
      this.note(`${id} is ${tables.deliveries[id - 1]?.status}`);
      if (known.isRecorded && known.received === 0)
        this.#fault(`${id} is recorded, and was not received`);
    }
  }

  /** The database did not write these down. */
  unrecorded(results: readonly Result[]): void {
    for (const { id } of results) this.excuseOne(id);
  }

  excuseOne(id: number): void {
    this.#of(id).isExcused = true;
  }

  /** What a process that is gone or halted was about may be sent again. */
  excuse(process: string): void {
    for (const known of this.#known.values()) {
      if (known.sender === process || known.senders.includes(process)) known.isExcused = true;
    }
  }

  /** Looks at what is left in the end. */
  end(tables: Tables, end: number): void {
    for (const { id, status, attempts, due, hook } of tables.deliveries) {
      const name = `delivery ${id} to ${hook.url}`;
      if (status === 'failed' && attempts !== 10) this.#fault(`${name} failed after ${attempts}`);
      if (status === 'delivered' && !this.#known.get(id)?.received)
        this.#fault(`${name} never came`);
      if (status !== 'pending' || !hook.isEnabled) continue;
      const isLost = due < end - overdueMs || due > end + longestPauseMs;
      if (isLost) this.#fault(`${name} is lost: due at ${due}, and nobody sends it`);
      if (this.#trusted.has(hook.url) && attempts > 0)
        this.#fault(`${name}, which is well, failed`);
    }
    for (const hook of tables.hooks) {
      const left = (tables.changes.get(hook.accountId)?.length ?? 0) - hook.place;
      if (hook.isEnabled && left > 0)
        this.#fault(`${left} changes are no deliveries of ${hook.id}`);
    }
  }

  readonly #urls = new Map<number, string>();

  #of(id: number): Known {
    const known = this.#known.get(id) ?? {
      ...{ senders: [], sender: undefined, received: 0, isRecorded: false, isExcused: false },
    };
    this.#known.set(id, known);
    return known;
  }

  /** A fault, unless something befell whoever was about it. */
  #forbid(known: Known, fault: string): void {
    if (!known.isExcused) this.#fault(fault);
  }

  #fault(fault: string): void {
    this.faults.push(`at ${this.#agenda.now}: ${fault}`);
  }
}
