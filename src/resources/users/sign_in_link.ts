/** Links with which a user signs in without a password, to set one: the first, or a new one. */
import { randomBytes } from 'node:crypto';
import { authorize, readId } from '../../auth/policy.ts';
import { hashOf } from '../../auth/sessions.ts';
import { type Context, operating, type UnitOfWork } from '../../context/context.ts';
import { refuseDryRun } from '../../context/dry_run.ts';
import type { Database } from '../../db/database.ts';
import { isBroken } from '../../db/errors.ts';
import { name, type Sql, sql } from '../../db/sql/sql.ts';
import { notFound } from '../../errors/errors.ts';
import { auditEntries, creationOf, removalOf } from '../audit/entry.ts';
import { resource } from '../kernel/resource.ts';
import { inTransaction } from '../kernel/write/transaction.ts';

export const sign_in_codes = resource('sign_in_codes', {
  fields: {},
  searchable: [],
  takesPart: {},
});

/** How long a link can be used that an operator makes, or an admin for a user who has a password. */
export const linkMinutes = 15;

/** How long one can be used that an admin makes for a user who has not set a password yet: a week. */
export const invitationMinutes = 7 * 24 * 60;

/** The file in the data directory that gets a link where there is no terminal to print it to. */
export const linkFile = 'sign-in-link';

export interface NewCode {
  /** 128 bits, which are not stored. */
  readonly code: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** A link as it is shown to the person who hands it over. */
export interface Link {
  readonly url: string;
  readonly expires_at: string;
}

/**
 * The link that redeems a code. The code is in the fragment, which browsers send to nobody, so that it gets
 * into no log and no `Referer`.
 * @param origin of the service
 */
export const linkWith = (origin: string, { code, expiresAt }: NewCode): Link => ({
  url: `${origin}/console/welcome#${code}`,
  expires_at: expiresAt,
});

/**
 * Makes a link for a user, which ends the one before, within a transaction and without authorisation: for
 * operators.
 * @param minutes how long it lasts if the user has no password; otherwise for {@link linkMinutes}
 * @throws {Fault} NOT_FOUND when the account has no such user
 * @throws {DatabaseError} unique, when somebody else made one meanwhile: worth a retry
 */
export async function createSignInLink(
  ctx: UnitOfWork,
  userId: number,
  minutes: number,
): Promise<NewCode> {
  const { accountId } = ctx.viewer;
  const code = randomBytes(16).toString('base64url');
  await ctx.db.query(
    sql`WITH ended_links AS (
          DELETE FROM sign_in_codes WHERE account_id = ${accountId} AND user_id = ${userId} RETURNING *
        ) ${auditEntries(ctx, linksEnded)}`,
  );
  const [row] = await ctx.db.query<{ expires_at: string }>(
    sql`WITH made AS (
          INSERT INTO sign_in_codes (account_id, user_id, code_hash, expires_at)
          SELECT ${accountId}::bigint, u.id, ${hashOf(code)}, now() + make_interval(
            mins => CASE u.password_hash WHEN '' THEN ${minutes}::integer ELSE ${linkMinutes}::integer END)
          FROM users AS u WHERE u.account_id = ${accountId} AND u.id = ${userId}
          RETURNING *
        ), audit AS (${auditEntries(ctx, creationOf(sign_in_codes, 'made'))})
        SELECT expires_at FROM made`,
  );
  if (!row) throw notFound();
  return { code, expiresAt: new Date(row.expires_at).toISOString() };
}

/**
 * The same for the user with an e-mail address, in whichever account.
 * @returns undefined when there is no such user
 */
export async function createLinkFor(
  call: Parameters<typeof operating<Database>>[0],
  email: string,
): Promise<NewCode | undefined> {
  const [user] = await call.db.query<{ id: number; account_id: number }>(
    sql`SELECT id, account_id FROM users WHERE email = ${email.trim().toLowerCase()}`,
  );
  return user && createAlone(operating(call, user.account_id), user.id, linkMinutes);
}

/**
 * Makes a link for a user of the account, to be handed over.
 * @throws {Fault} FORBIDDEN for all but admins; NOT_FOUND
 */
export async function makeSignInLink(ctx: Context, account: unknown, user: unknown): Promise<Link> {
  authorize(ctx.viewer, account, 'sign_in_code.create');
  refuseDryRun(ctx);
  return linkWith(ctx.origin, await createAlone(ctx, readId(user), invitationMinutes));
}

/** Whether another link of the user came first, or the user was deleted meanwhile. */
const isOvertaken = (error: unknown): boolean =>
  isBroken('unique')(error) || isBroken('foreign_key')(error);

const createAlone = (
  ctx: Omit<Context, 'signing'>,
  userId: number,
  minutes: number,
): Promise<NewCode> =>
  inTransaction(ctx, (tx) => createSignInLink(tx, userId, minutes), isOvertaken);

/**
 * A WITH query, preceded by a comma, that ends the links of users who were changed so that an earlier link
 * must not let anybody in as them any more. Its audit entries are {@link linksEnded}.
 * @param changed the WITH query that returned these users
 */
export const endingLinks = (ctx: UnitOfWork, changed: string): Sql =>
  sql`, ended_links AS (
        DELETE FROM sign_in_codes
        WHERE account_id = ${ctx.viewer.accountId} AND user_id IN (SELECT id FROM ${name(changed)})
        RETURNING *
      )`;

/** The entries of links that the WITH query `ended_links` ended. */
export const linksEnded = removalOf(sign_in_codes, 'ended_links');
