import { hashPassword } from '../../auth/passwords.ts';
import { hashOf } from '../../auth/sessions.ts';
import type { Viewers } from '../../auth/viewer.ts';
import { operating, type UnitOfWork } from '../../context/context.ts';
import type { Queryable } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { Fault, Faults } from '../../errors/errors.ts';
import { auditEntries, removalOf } from '../audit/entry.ts';
import { required, text } from '../kernel/fields/fields.ts';
import { type Input, readNew } from '../kernel/fields/input.ts';
import { asUser, type NewSession, openSession } from '../sessions/open.ts';
import { attempting, type Visit } from '../sessions/visit.ts';
import { setPassword } from './password.ts';
import { newPassword, requireCredentials } from './record.ts';
import { sign_in_codes } from './sign_in_link.ts';

const fields = { code: required(text()), ...newPassword };

const ended = () =>
  new Fault('UNAUTHENTICATED', [
    'This link is not valid, was used before, or has expired: ask for a new one',
  ]);

/**
 * Sets the password of the user who was given a link, and signs them in. The link and their other
 * sessions end with that.
 * @throws {Fault} VALIDATION_FAILED for an invalid password, after which the link can still be used;
 *   UNAUTHENTICATED when there is no such link, or it has expired; UNAVAILABLE when too many people set
 *   passwords at once
 * @throws {TooMany} when the client has failed too often
 */
export async function redeemLink(
  visit: Visit,
  viewers: Viewers,
  input: Input,
): Promise<NewSession> {
  const faults = new Faults();
  const values = readNew(input, fields, faults);
  requireCredentials(input, values, faults, ['password', 'password_confirmation']);
  faults.throwIfAny();
  const code = hashOf(values.code ?? '');
  return attempting(visit, undefined, async ({ client }) => {
    const { account_id: accountId, user_id: userId } = await find(visit.db, code);
    const hash = await hashPassword(values.password ?? '', client);
    const opened = await retryConflicts(() =>
      visit.db.transaction(async (db) => {
        const ctx = asUser(operating({ ...visit, db }, accountId), userId);
        await use(ctx, code);
        await setPassword(ctx, userId, hash);
        return openSession(ctx, userId, visit);
      }),
    );
    viewers.forget(accountId, userId);
    return opened;
  });
}

interface LinkOwner {
  readonly account_id: number;
  readonly user_id: number;
}

/** @throws {Fault} UNAUTHENTICATED when there is no such link, or it has expired */
async function find(db: Queryable, code: string): Promise<LinkOwner> {
  const [link] = await db.query<LinkOwner>(
    sql`SELECT account_id, user_id FROM sign_in_codes WHERE code_hash = ${code} AND expires_at > now()`,
    { reads: true },
  );
  if (!link) throw ended();
  return link;
}

/**
 * Removes the link, so that it works once.
 * @throws {Fault} UNAUTHENTICATED when another request has used it since it was found
 */
async function use(ctx: UnitOfWork, code: string): Promise<void> {
  const [used] = await ctx.db.query(
    sql`WITH used AS (
          DELETE FROM sign_in_codes
          WHERE account_id = ${ctx.viewer.accountId} AND code_hash = ${code} AND expires_at > now() RETURNING *
        ), audit AS (${auditEntries(ctx, removalOf(sign_in_codes, 'used'))})
        SELECT id FROM used`,
  );
  if (!used) throw ended();
}
