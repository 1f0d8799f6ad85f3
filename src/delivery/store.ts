/** Where deliveries are kept, as those see it who send them. */
import type { Database } from '../db/database.ts';
import { dueWebhooks, enabledWebhooks, prune, type WebhookKey } from './accounts.ts';
import {
  type Clock,
  claim,
  type DeliveryClaim,
  databaseClock,
  type Result,
  record,
  release,
} from './claims.ts';
import { type DeliveryRound, makeDeliveries } from './make.ts';

/** How long the database may take for a statement, in milliseconds. */
export const statementMs = 5000;

/** All of these fail when the database does not do it within {@link statementMs}. */
export interface DeliveryStore {
  /** See {@link enabledWebhooks}. */
  enabled(): Promise<ReadonlyMap<number, readonly number[]>>;
  /** See {@link dueWebhooks}. */
  due(accounts: readonly number[]): Promise<readonly WebhookKey[]>;
  /** See {@link makeDeliveries}. */
  make(accountId: number): Promise<readonly DeliveryRound[]>;
  /** See {@link claim}. */
  claim(accountId: number, webhookId: number, max: number): Promise<readonly DeliveryClaim[]>;
  /** See {@link release}. */
  release(accountId: number, ids: readonly number[]): Promise<void>;
  /** See {@link record}. */
  record(accountId: number, results: readonly Result[]): Promise<unknown>;
  /** See {@link prune}; it takes as long as it takes. */
  prune(stopping: AbortSignal): Promise<void>;
}

/** @param clock the database's own unless given */
export function storeIn(db: Database, clock: () => Clock = databaseClock): DeliveryStore {
  const of = (account?: number) => db.of({ account, until: performance.now() + statementMs });
  return {
    enabled: () => enabledWebhooks(of()),
    due: (accounts) => dueWebhooks(of(), accounts, clock()),
    make: (accountId) => makeDeliveries(of(accountId), accountId),
    claim: (accountId, webhookId, max) => claim(of(accountId), accountId, webhookId, max, clock()),
    release: (accountId, ids) => release(of(accountId), accountId, ids, clock()),
    record: (accountId, results) => record(of(accountId), accountId, results, clock()),
    prune: (stopping) => prune(db, clock(), stopping),
  };
}
