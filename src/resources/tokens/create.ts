import { authorize, requireScopes } from '../../auth/policy.ts';
import { type Context, faultsOf, type UnitOfWork } from '../../context/context.ts';
import { refuseDryRun } from '../../context/dry_run.ts';
import { isBroken } from '../../db/errors.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { sql } from '../../db/sql/sql.ts';
import { mustExist } from '../../errors/codes.ts';
import {
  type Faults,
  forbidden,
  invalid,
  signedOut,
  unauthenticated,
} from '../../errors/errors.ts';
import { type Input, readNew } from '../kernel/fields/input.ts';
import { getRecord } from '../kernel/read/record.ts';
import type { RecordResult } from '../kernel/read/record_result.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { issueFor } from './issue.ts';
import { api_tokens } from './record.ts';

/** A new token: its record, and what nobody can read again. */
interface NewToken {
  readonly token: RecordResult;
  readonly access_token: string;
}

/**
 * Makes a token for the viewer or, as an admin, for any user of the account. One that a token makes
 * has no scope that this lacks and does not outlive it. It is not revoked together with it.
 * @throws {Fault} FORBIDDEN for a member who names another user; INSUFFICIENT_SCOPE; UNAUTHENTICATED
 *   when the viewer's own token or session has ended meanwhile; VALIDATION_FAILED
 */
export async function createToken(
  ctx: Context,
  account: unknown,
  input: Input,
  selection: Selection,
): Promise<NewToken> {
  authorize(ctx.viewer, account, 'token.create');
  refuseDryRun(ctx);
  const faults = faultsOf(ctx);
  const fields = readNew(input, api_tokens.fields, faults);
  const { name = '', scopes = ['*'], expires_in } = fields;
  const userId = fields.user_id ?? ctx.viewer.userId;
  if (!faults.has('scopes')) requireScopes(ctx.viewer, scopes);
  return inTransaction(ctx, async (tx) => {
    const maker = await makerOf(tx);
    if (userId !== ctx.viewer.userId) await requireUser(tx, maker, userId, faults);
    const ttl = lifetimeOf(ctx, maker, expires_in ?? undefined, faults);
    faults.throwIfAny();
    const { keys } = ctx.signing;
    const issued = await issueFor(tx, { userId, name, scopes, ttl, keys });
    const token = await getRecord(tx, 'api_tokens', issued.id, selection);
    return { token, access_token: issued.token };
  }).catch((error: unknown) => {
    throw isBroken('foreign_key')(error) ? invalid('user_id', mustExist) : error;
  });
}

/** The user who makes a token, as the database knows them now: what is remembered may be seconds old. */
interface Maker {
  readonly role: string;
  /** When the token that makes it ends; null for never, and for a session. */
  readonly expires_at: string | null;
}

async function makerOf({ db, viewer }: UnitOfWork): Promise<Maker> {
  const { accountId, userId, tokenId, sessionId } = viewer;
  const credential =
    tokenId === null
      ? sql`SELECT NULL::timestamptz AS expires_at FROM sessions
          WHERE account_id = ${accountId} AND id = ${sessionId ?? 0} AND expires_at > now()`
      : sql`SELECT expires_at FROM api_tokens
          WHERE account_id = ${accountId} AND id = ${tokenId} AND revoked_at IS NULL`;
  const [maker] = await db.query<Maker>(
    sql`SELECT u.role, credential.expires_at FROM users AS u, (${credential}) AS credential
        WHERE u.account_id = ${accountId} AND u.id = ${userId}`,
  );
  if (!maker) throw tokenId === null ? signedOut() : unauthenticated();
  return maker;
}

async function requireUser(
  { db, viewer }: UnitOfWork,
  { role }: Maker,
  userId: number,
  faults: Faults,
): Promise<void> {
  if (role !== 'admin') throw forbidden();
  const rows = await db.query(
    sql`SELECT FROM users WHERE account_id = ${viewer.accountId} AND id = ${userId}`,
  );
  if (rows.length === 0) faults.add('user_id', mustExist);
}

/** @returns seconds, null for ever: as asked, else as configured as far as the maker's token goes */
function lifetimeOf(
  { now, signing }: Context,
  { expires_at }: Maker,
  seconds: number | undefined,
  faults: Faults,
): number | null {
  const max =
    expires_at === null
      ? Number.POSITIVE_INFINITY
      : Math.floor((Date.parse(expires_at) - now.getTime()) / 1000);
  const lifetime = seconds ?? Math.min(signing.ttl ?? Number.POSITIVE_INFINITY, max);
  if (lifetime > max) {
    faults.add('expires_in', 'must not be longer than what is left of the token that makes it');
  }
  return Number.isFinite(lifetime) ? lifetime : null;
}
