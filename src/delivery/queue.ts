/**
 * Deliveries that queues take on at once: one until their receiver has answered well, then twice as
 * many each time, as long as they are sent quickly.
 */
const maxTaken = 50;

/** Attempts at once to a receiver that has answered well. */
export const atOnce = 2;

/** Deliveries that took no longer than this, all of them together, were quick. */
const quickMs = 1000;

/** How the last attempt went, as far as this process knows: well, but not quickly, is slow. */
export type State = 'unknown' | 'well' | 'slow' | 'failing';

/** How a receiver is that answered so, after so many milliseconds. */
export function stateAfter(error: string | null, ms: number): State {
  if (error !== null) return 'failing';
  return ms < quickMs ? 'well' : 'slow';
}

/** What waits for one webhook. */
export class WebhookQueue<Item> {
  readonly accountId: number;
  readonly webhookId: number;
  state: State;
  readonly items: Item[] = [];
  sending = 0;
  /** Whether the database may hold more. */
  isDue = true;
  #isClaiming = false;
  #size = 1;
  #claimedAt = 0;

  constructor(accountId: number, webhookId: number, state: State) {
    this.accountId = accountId;
    this.webhookId = webhookId;
    this.state = state;
  }

  /** Whether it holds deliveries, or will in a moment. */
  get isBusy(): boolean {
    return this.#isClaiming || this.sending > 0 || this.items.length > 0;
  }

  /** How many deliveries to take on now; 0 while there are enough. */
  get wanted(): number {
    if (!this.isDue || this.#isClaiming) return 0;
    if (!this.#isAnswered) return this.isBusy ? 0 : 1;
    return this.items.length < atOnce ? this.#size : 0;
  }

  get maySend(): boolean {
    return this.sending < (this.#isAnswered ? atOnce : 1);
  }

  get #isAnswered(): boolean {
    return this.state === 'well' || this.state === 'slow';
  }

  /** What comes due from now on is not among what is being claimed. */
  begin(): void {
    this.isDue = false;
    this.#isClaiming = true;
  }

  /**
   * Takes on what was claimed.
   * @param limit how many were wanted
   * @param now in milliseconds
   */
  add(items: readonly Item[], limit: number, now: number): void {
    const isQuick = this.state === 'well' && now - this.#claimedAt < quickMs;
    this.#size = isQuick ? Math.min(2 * this.#size, maxTaken) : 1;
    this.#claimedAt = now;
    this.#isClaiming = false;
    this.items.push(...items);
    this.isDue ||= items.length >= limit;
  }

  /** Gives back what nobody has begun to send. */
  leave(): readonly Item[] {
    return this.items.splice(0);
  }
}
