import { clientOf } from '../../auth/client.ts';
import { verifyPassword } from '../../auth/passwords.ts';
import { authorize } from '../../auth/policy.ts';
import { SignInAttempts } from '../../auth/sign_in_attempts.ts';
import { type Context, faultsOf } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import { Fault, invalid, unauthenticated } from '../../errors.ts';
import { recordAudit } from '../audit/entry.ts';
import { flag, required, text } from '../kernel/fields.ts';
import { type Input, readNew } from '../kernel/input.ts';
import { inTransaction } from '../kernel/transaction.ts';
import { shownOf } from '../sessions/visit.ts';
import { revokeTokens } from '../tokens/revoke_all.ts';
import { hashFor, setPassword } from './password.ts';
import { newPassword, requireCredentials } from './record.ts';

const fields = {
  current_password: required(text({ most: 128 })),
  ...newPassword,
  revoke_tokens: flag,
};

/**
 * Whoever has a token or a session of somebody must not find out the password by it. Who tries from elsewhere is another client, so
 * that nobody keeps them from a new one.
 */
const attempts = new SignInAttempts();

/**
 * Changes the viewer's own password, which ends their other sessions and, where `revoke_tokens` asks for
 * it, all of their tokens.
 * @throws {Fault} VALIDATION_FAILED for a current password that is not theirs, and for a new one that
 *   is none
 * @throws {TooMany} when the client was wrong about the current password too often
 */
export async function changePassword(ctx: Context, account: unknown, input: Input): Promise<void> {
  const accountId = authorize(ctx.viewer, account, 'me.update');
  const { userId } = ctx.viewer;
  const faults = faultsOf(ctx);
  const sent = readNew(input, fields, faults);
  requireCredentials(input, sent, faults, ['password', 'password_confirmation']);
  faults.throwIfAny();
  await requireCurrent(ctx, sent.current_password ?? '');
  const hash = await hashFor(ctx, sent.password ?? '');
  await inTransaction(ctx, async (tx) => {
    await setPassword(tx, userId, hash);
    if (sent.revoke_tokens) await revokeTokens(tx, userId);
  });
  ctx.viewers.forget(accountId, userId);
}

async function requireCurrent(ctx: Context, password: string): Promise<void> {
  // All processes count it at once, and it counts whatever the rest comes to.
  const db = ctx.db.apart ?? ctx.db;
  const { accountId, userId } = ctx.viewer;
  const source = ctx.source();
  const attempt = { client: clientOf(source.ip), email: `user ${userId}` };
  const isRefused = (error: unknown) => error instanceof Fault && error.code === 'UNAUTHENTICATED';
  await attempts
    .count(db, attempt, async () => {
      const [user] = await db.query<{ password_hash: string }>(
        sql`SELECT password_hash FROM users WHERE account_id = ${accountId} AND id = ${userId}`,
        { named: true },
      );
      const matches = await verifyPassword(password, user?.password_hash ?? '', accountId);
      if (matches) return;
      await recordAudit({ ...ctx, db }, 'user.refuse_password', userId, {
        before: null,
        after: shownOf(source),
      });
      throw unauthenticated();
    })
    .catch((error: unknown) => {
      throw isRefused(error) ? invalid('current_password', 'is invalid') : error;
    });
}
