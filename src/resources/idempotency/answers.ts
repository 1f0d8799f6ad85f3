/** Answers as they are stored. */
import { createHash } from 'node:crypto';
import type { Viewer } from '../../auth/viewer.ts';
import type { StoredAnswer } from '../../context/idempotency.ts';
import type { Queryable } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql/sql.ts';

/** Stands for a record of which an answer does not say which one it is. */
export const anyRecord = 'any';

/** Hours for which an answer is given again. */
export const keptHours = 24;

/** An answer, or that of a part of a call. */
export interface AnswerRow {
  readonly digest: string;
  /** 0 of the answer to the whole call. */
  readonly part: number;
  readonly kid: string;
  readonly fingerprint: string;
  readonly status: number;
  /** Sealed, unless the record shows the same; null once it was to be forgotten. */
  readonly answer: string | null;
}

/** What is stored of an answer ahead of its body. */
export type Head = Pick<StoredAnswer, 'headers'> & Pick<Viewer, 'role'>;

/** An answer as it is stored. */
export const withHead = (head: Head, body: string): string => `${JSON.stringify(head)}\n${body}`;

/**
 * Distinguishes a key from any other of its account, and from the same key of another token or
 * session. It does not depend on a secret, since two processes must come to the same while secrets
 * change.
 */
export function digestOf({ accountId, tokenId, sessionId }: Viewer, key: string): string {
  const proof = tokenId === null ? `session ${sessionId}` : `token ${tokenId}`;
  return createHash('sha256').update(`${accountId} ${proof} ${key}`).digest('base64url');
}

/** Whether an answer, which its caller names `kept`, is still given. */
export const isKept = sql`created_at > now() - make_interval(hours => ${keptHours}::integer)`;

/** Queries the answer to an earlier call with this key: no row when there is none, or none any more. */
export const answerTo = (accountId: number, digest: string): Sql =>
  sql`SELECT digest, part, kid, fingerprint, status, answer FROM idempotency_keys
      WHERE account_id = ${accountId} AND digest = ${digest} AND part = 0 AND ${isKept}`;

/** @returns undefined where {@link answerTo} has no row */
export async function findAnswer(
  db: Queryable,
  accountId: number,
  digest: string,
): Promise<AnswerRow | undefined> {
  const [row] = await db.query<AnswerRow>(answerTo(accountId, digest), {
    shares: true,
  });
  return row;
}

/** Stands for the answer of a part, once the answer to the whole call is stored. */
export const answeredWhole = '';

interface StoredPart extends AnswerRow {
  /** Whether it is still given. */
  readonly kept: boolean;
}

/** The answers of a call's finished parts, in the order of their numbers. */
export const findParts = (
  db: Queryable,
  accountId: number,
  digest: string,
): Promise<StoredPart[]> =>
  db.query<StoredPart>(
    sql`SELECT digest, part, kid, fingerprint, status, answer, ${isKept} AS kept
        FROM idempotency_keys
        WHERE account_id = ${accountId} AND digest = ${digest} AND part > 0 ORDER BY part`,
    { reads: true },
  );

/**
 * @param tellsOf the records whose values the answer shows, as `graphql/record_ids.ts` names them
 *   (`contact:7`)
 */
export const insertion = (
  accountId: number,
  { digest, part, kid, fingerprint, status, answer }: AnswerRow,
  tellsOf: readonly string[],
): Sql =>
  sql`INSERT INTO idempotency_keys (account_id, digest, part, kid, fingerprint, status, answer, tells_of)
      VALUES (${accountId}::bigint, ${digest}, ${part}::integer, ${kid}, ${fingerprint}, ${status}::integer, ${answer}, ${tellsOf}::text[])`;

/**
 * The same of a call that was done in parts, whose answer holds theirs: those are emptied, so as not to be
 * stored twice, and stay, so that nobody does them again who has not seen the answer yet.
 */
export const insertionOverParts = (...stored: Parameters<typeof insertion>): Sql => {
  const [accountId, { digest }] = stored;
  return sql`WITH emptied AS (
      UPDATE idempotency_keys SET answer = ${answeredWhole}
      WHERE account_id = ${accountId} AND digest = ${digest} AND part > 0 AND answer IS NOT NULL)
    ${insertion(...stored)}`;
};

/**
 * The same as {@link insertion} as a step of the statement that creates the only record which the answer
 * shows, `shown` there.
 * The record's text is not encrypted, since the record itself holds the same values beside it. Its version
 * has a line of its own.
 * @param head including the separator before the version
 * @param one the type of the record, such as `contact`
 */
export const insertionOfRecord = (
  accountId: number,
  { digest, kid, fingerprint }: Pick<AnswerRow, 'digest' | 'kid' | 'fingerprint'>,
  head: string,
  one: string,
): Sql =>
  sql`INSERT INTO idempotency_keys (account_id, digest, part, kid, fingerprint, status, answer, tells_of)
      SELECT ${accountId}::bigint, ${digest}, 0, ${kid}, ${fingerprint}, 201, ${head}::text || shown.version || E'\\n' || shown.record, ARRAY[${`${one}:`}::text || shown.id]
      FROM shown`;

/** Deletes an expired answer with the same key, which would be in the way of a new one. */
export const removalOfOld = (accountId: number, digest: string): Sql =>
  sql`DELETE FROM idempotency_keys WHERE account_id = ${accountId} AND digest = ${digest} AND NOT ${isKept}`;
