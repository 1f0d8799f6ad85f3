/** Notifications in browsers, by way of the push services that these belong to (RFC 8030, 8291). */
import webPush from 'web-push';
import type { Database } from '../db/database.ts';
import { ConcurrencyLimit } from '../lib/concurrency_limit.ts';
import { type PushKey, pushKey } from '../resources/web_push/key.ts';
import {
  forgetSubscriptions,
  type Notification,
  notificationsOf,
} from '../resources/web_push/notifications.ts';
import type { Receivers } from './receivers.ts';
import { post } from './send.ts';

/** Notifications on their way at once, in a process and of one account. */
const limits = { all: 20, account: 4 } as const;

/** How many of one account's may wait; what is beyond is not sent. */
const maxWaiting = 1000;

/** How long the database may take, in milliseconds. */
const statementMs = 10_000;

/** For how many seconds a push service keeps one for a browser that is not running: a day. */
const ttl = 86_400;

/** What push services answer where a browser has gone (RFC 8030, section 5). */
const gone: readonly (number | null)[] = [404, 410];

/** Where it reports what it could not do. */
interface Log {
  warn(what: object, text: string): void;
}

/** Sends each notification once: what fails is not tried again, for it is about a moment. */
export class PushSender {
  readonly #db: Database;
  readonly #receivers: Receivers;
  readonly #log: Log;
  readonly #limit = new ConcurrencyLimit<number>(limits.all, undefined, limits.account);
  readonly #waiting = new Map<number, number>();
  readonly #closing = new AbortController();
  /** By whom push services may be told of misuse (RFC 8292, section 2.1). */
  readonly #subject: string;
  #key: Promise<PushKey> | undefined;

  /** @param subject an https URL of this service */
  constructor(db: Database, receivers: Receivers, subject: string, log: Log) {
    this.#db = db;
    this.#receivers = receivers;
    this.#subject = subject;
    this.#log = log;
  }

  /** Notifies those whom events concern that have fallen due. Resolves when it is known whom. */
  async notify(accountId: number, eventIds: readonly number[]): Promise<void> {
    try {
      const db = this.#database(accountId);
      const notifications = await notificationsOf(db, accountId, eventIds);
      if (notifications.length === 0) return;
      this.#key ??= pushKey(db);
      const key = await this.#key.catch((error: unknown) => {
        this.#key = undefined;
        throw error;
      });
      for (const each of notifications) this.#send(accountId, each, key);
    } catch (error) {
      this.#log.warn({ err: error }, 'nobody could be notified of events that fell due');
    }
  }

  close(): void {
    this.#closing.abort();
  }

  #database(accountId: number): Database {
    return this.#db.of({ account: accountId, until: performance.now() + statementMs });
  }

  #send(accountId: number, notification: Notification, key: PushKey): void {
    const waiting = this.#waiting.get(accountId) ?? 0;
    if (waiting >= maxWaiting) return;
    this.#waiting.set(accountId, waiting + 1);
    this.#limit
      .run(accountId, () => this.#attempt(accountId, notification, key))
      .catch((error: unknown) => {
        this.#log.warn({ err: error }, 'a notification could not be sent');
      })
      .finally(() => {
        const rest = (this.#waiting.get(accountId) ?? 1) - 1;
        if (rest > 0) this.#waiting.set(accountId, rest);
        else this.#waiting.delete(accountId);
      });
  }

  async #attempt(
    accountId: number,
    { id, endpoint, p256dh, auth, ...about }: Notification,
    { public_key: publicKey, private_key: privateKey }: PushKey,
  ): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const { headers, body } = webPush.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(notification(about)),
      { vapidDetails: { subject: this.#subject, publicKey, privateKey }, TTL: ttl },
    );
    const { 'Content-Length': _, ...ownHeaders } = Object(headers);
    const posting = { url: endpoint, body: body ?? '', headers: () => ownHeaders };
    const attempt = await post(this.#receivers, posting, this.#closing.signal);
    if (attempt && gone.includes(attempt.outcome.status)) {
      await forgetSubscriptions(this.#database(accountId), accountId, [id]);
    }
  }
}

/** What the service worker of the console shows: a title, and where a click leads. */
const notification = ({
  events,
  title,
  contact_id,
  deal_id,
}: Pick<Notification, 'events' | 'title' | 'contact_id' | 'deal_id'>) => ({
  title: events > 1 ? `${title || '…'} (+${events - 1})` : title || '…',
  url: deal_id === null ? `/console/contacts/${contact_id}` : `/console/deals/${deal_id}`,
});
