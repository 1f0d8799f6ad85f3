import { clientOf } from '../../auth/client.ts';
import { verifyPassword } from '../../auth/passwords.ts';
import { authorize } from '../../auth/policy.ts';
import { SignInAttempts } from '../../auth/sign_in_attempts.ts';
import { type Context, faultsOf } from '../../context/context.ts';
import { refuseDryRun } from '../../context/dry_run.ts';
import { sql } from '../../db/sql/sql.ts';
import { Fault, invalid, unauthenticated } from '../../errors/errors.ts';
import { recordAudit } from '../audit/entry.ts';
import { flag, required, text } from '../kernel/fields/fields.ts';
import { type Input, readNew } from '../kernel/fields/input.ts';
import { passwordLength } from '../kernel/fields/password.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { shownOf } from '../sessions/visit.ts';
import { revokeTokens } from '../tokens/revoke_all.ts';
import { hashFor, setPassword } from './password.ts';
import { newPassword, requireCredentials } from './record.ts';

const fields = {
  current_password: required(text({ max: passwordLength.max, verbatim: true })),
  ...newPassword,
  revoke_tokens: flag,
};

/**
 * Anyone who has got hold of a token or a session must not be able to guess the password with it. Failures
 * are counted for each client, so that they do not keep the user, at another address, from changing it.
 */
const attempts = new SignInAttempts();

/**
 * Changes the viewer's own password, which ends their other sessions and, where `revoke_tokens` asks for
 * it, all of their tokens.
 * @throws {Fault} VALIDATION_FAILED for a wrong current password, and for an invalid new one
 * @throws {TooMany} when the client was wrong about the current password too often
 */
export async function changePassword(ctx: Context, account: unknown, input: Input): Promise<void> {
  const accountId = authorize(ctx.viewer, account, 'me.update');
  refuseDryRun(ctx);
  const { userId } = ctx.viewer;
  const faults = faultsOf(ctx);
  const values = readNew(input, fields, faults);
  requireCredentials(input, values, faults, ['password', 'password_confirmation']);
  faults.throwIfAny();
  await requireCurrent(ctx, values.current_password ?? '');
  const hash = await hashFor(ctx, values.password ?? '');
  await inTransaction(ctx, async (tx) => {
    await setPassword(tx, userId, hash);
    if (values.revoke_tokens) await revokeTokens(tx, userId);
  });
  ctx.viewers.forget(accountId, userId);
}

async function requireCurrent(ctx: Context, password: string): Promise<void> {
  // All processes count it at once, and it counts whatever the rest comes to.
  const db = ctx.db.outsideTransaction ?? ctx.db;
  const { accountId, userId } = ctx.viewer;
  const source = ctx.source();
  const attempt = { client: clientOf(source.ip), email: `user ${userId}` };
  const isRefused = (error: unknown) => error instanceof Fault && error.code === 'UNAUTHENTICATED';
  await attempts
    .count(db, attempt, async () => {
      const [user] = await db.query<{ password_hash: string }>(
        sql`SELECT password_hash FROM users WHERE account_id = ${accountId} AND id = ${userId}`,
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
