import type { UnitOfWork } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { invalid, notFound } from '../../errors/errors.ts';
import { requireExpected, versionOf } from '../kernel/write/version.ts';
import { webhooks } from './record.ts';

interface LockedWebhook {
  readonly id: number;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly version: string;
}

/**
 * Locks a webhook for the rest of the transaction.
 * @throws {Fault} NOT_FOUND; PRECONDITION_FAILED
 */
export async function lockWebhook(ctx: UnitOfWork, id: number): Promise<LockedWebhook> {
  const [webhook] = await ctx.db.query<LockedWebhook>(
    sql`SELECT id, events, enabled, ${versionOf(webhooks)} AS version FROM webhooks
        WHERE account_id = ${ctx.viewer.accountId} AND id = ${id} FOR NO KEY UPDATE`,
  );
  if (!webhook) throw notFound();
  requireExpected(ctx, webhook.version);
  return webhook;
}

/** Locks all webhooks of the account for the rest of the transaction, in the order of their ids. */
export async function lockWebhooks({ db, viewer: { accountId } }: UnitOfWork): Promise<void> {
  await db.query(
    sql`SELECT FROM webhooks WHERE account_id = ${accountId} ORDER BY id FOR NO KEY UPDATE`,
  );
}

/** @throws {Fault} VALIDATION_FAILED for a webhook that is switched off, which sends nothing */
export function requireEnabled({ enabled }: LockedWebhook): void {
  if (!enabled) throw invalid('enabled', 'is false, and so nothing is sent');
}
