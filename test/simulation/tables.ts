/** The tables of webhooks and deliveries in memory, as the statements of `src/delivery` treat them. */
import type { DeliveryClaim, Result } from '../../src/delivery/claims.ts';
import { claimSeconds } from '../../src/delivery/claims.ts';
import { patienceDays } from '../../src/delivery/schedule.ts';

const dayMs = 86_400_000;

export interface Hook {
  readonly id: number;
  readonly accountId: number;
  readonly url: string;
  isEnabled: boolean;
  /** How many of its account's changes are deliveries. */
  place: number;
  failingSince: number | undefined;
}

export interface Delivery {
  readonly id: number;
  readonly hook: Hook;
  readonly message: string;
  attempts: number;
  status: 'pending' | 'delivered' | 'failed';
  due: number;
}

/** Each method is a statement, and takes the moment at which it is done. */
export class Tables {
  readonly hooks: Hook[] = [];
  readonly deliveries: Delivery[] = [];
  /** The messages of each account's changes. */
  readonly changes = new Map<number, string[]>();
  /** Those that are pending. */
  readonly #pending = new Set<Delivery>();

  enabled(): Map<number, number[]> {
    const byAccount = new Map<number, number[]>();
    for (const { isEnabled, accountId, id } of this.hooks) {
      if (isEnabled) byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), id]);
    }
    return byAccount;
  }

  due(now: number, accounts: readonly number[]) {
    const ids = new Set<number>();
    for (const { hook, due } of this.#pending) {
      if (due <= now && hook.isEnabled && accounts.includes(hook.accountId)) ids.add(hook.id);
    }
    return this.hooks
      .filter(({ id }) => ids.has(id))
      .map(({ accountId, id }) => ({ account_id: accountId, id }));
  }

  /** When something comes due, or could be made. */
  next(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { hook, due } of this.#pending) if (hook.isEnabled && due < next) next = due;
    for (const hook of this.hooks) {
      if (hook.isEnabled && hook.place < (this.changes.get(hook.accountId)?.length ?? 0))
        return now;
    }
    return next;
  }

  /** @param isLocked by somebody who changes it */
  make(now: number, accountId: number, isLocked: (hook: Hook) => boolean) {
    const changes = this.changes.get(accountId) ?? [];
    const made: { webhook_id: number; is_told: boolean; is_full: boolean }[] = [];
    for (const hook of this.hooks) {
      if (hook.accountId !== accountId || !hook.isEnabled || isLocked(hook)) continue;
      const news = changes.slice(hook.place);
      hook.place = changes.length;
      for (const message of news) {
        const id = this.deliveries.length + 1;
        const one: Delivery = { id, hook, message, attempts: 0, status: 'pending', due: now };
        this.deliveries.push(one);
        this.#pending.add(one);
      }
      made.push({ webhook_id: hook.id, is_told: news.length > 0, is_full: false });
    }
    return made;
  }

  claim(now: number, webhookId: number, max: number): DeliveryClaim[] {
    const due = [...this.#pending].filter(
      ({ hook, due }) => hook.id === webhookId && hook.isEnabled && due <= now,
    );
    due.sort((one, other) => one.due - other.due || one.id - other.id);
    const claimed = due.slice(0, max).sort((one, other) => one.id - other.id);
    for (const one of claimed) one.due = now + claimSeconds * 1000;
    return claimed.map(({ id, message, attempts, hook: { url } }) => ({
      ...{ id, attempts, url, message_id: message, event: 'contact.update' },
      ...{ secrets: [], body: String(id) },
    }));
  }

  release(now: number, ids: readonly number[]): void {
    for (const id of ids) {
      const one = this.deliveries[id - 1];
      if (one?.status === 'pending') one.due = now;
    }
  }

  record(now: number, results: readonly Result[]): void {
    const heard = new Map<Hook, boolean>();
    for (const { id, error, pause } of results) {
      const one = this.deliveries[id - 1];
      if (one?.status !== 'pending') continue;
      one.attempts += 1;
      if (error !== null && pause !== null) one.due = now + pause * 1000;
      else {
        one.status = error === null ? 'delivered' : 'failed';
        this.#pending.delete(one);
      }
      heard.set(one.hook, (heard.get(one.hook) ?? false) || error === null);
    }
    for (const [hook, isWell] of heard) {
      const since = hook.failingSince;
      if (isWell) hook.failingSince = undefined;
      else if (since === undefined) hook.failingSince = now;
      else if (since < now - patienceDays * dayMs) hook.isEnabled = false;
    }
  }
}
