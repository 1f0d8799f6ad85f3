/**
 * Which secrets sign the tokens of a database: it knows their fingerprints. A process that has others would
 * issue tokens that nobody takes, and refuse those that there are.
 */
import type { Database, Queryable } from '../db/database.ts';
import { raw, sql } from '../db/sql/sql.ts';
import { type Keys, ownKid } from './keys.ts';

/** The secret that signs, as part of a statement: the one that began to last. */
export const currentFingerprint = raw(
  '(SELECT fingerprint FROM signing_secrets WHERE signs_from IS NOT NULL ORDER BY signs_from DESC LIMIT 1)',
);

/**
 * `next` is verified and does not sign yet, `current` signs, `previous` did and is still verified, `retired`
 * is not verified any more.
 */
export type State = 'next' | 'current' | 'previous' | 'retired';

/** A secret as the database knows it. */
export interface SigningSecret {
  readonly fingerprint: string;
  readonly state: State;
}

/** This process has other secrets than the database. */
export class ForeignSecret extends Error {}

/** @returns the oldest first */
export const knownSecrets = (db: Queryable): Promise<SigningSecret[]> =>
  db.query<SigningSecret>(
    sql`SELECT fingerprint, CASE
          WHEN retired_at IS NOT NULL THEN 'retired' WHEN signs_from IS NULL THEN 'next'
          WHEN fingerprint = ${currentFingerprint} THEN 'current' ELSE 'previous' END AS state
        FROM signing_secrets ORDER BY created_at, fingerprint`,
  );

/**
 * Compares a process's secrets with the database's. One that knows none, because it is new or older than
 * this, gets to know them.
 * @returns those that the process may use: all but the retired ones
 * @throws {ForeignSecret} when the process has another secret, or lacks the one that signs
 */
export async function agreeOn(db: Database, keys: Keys): Promise<Keys> {
  const seen = await knownSecrets(db);
  const known = seen.length > 0 ? seen : await db.transaction((tx) => introduce(tx, keys));
  const difference = differenceOf(known, keys);
  if (difference !== undefined) throw new ForeignSecret(difference);
  const retired = known.filter(({ state }) => state === 'retired');
  const isUsable = ([kid]: readonly [string, unknown]) =>
    retired.every(({ fingerprint }) => fingerprint !== kid);
  return new Map([...keys].filter(isUsable));
}

/** What is wrong with the secrets of a process; undefined when nothing is. */
export function differenceOf(known: readonly SigningSecret[], keys: Keys): string | undefined {
  if (known.length === 0) return undefined;
  const current = known.find(({ state }) => state === 'current')?.fingerprint;
  for (const kid of keys.keys()) {
    if (known.some(({ fingerprint }) => fingerprint === kid)) continue;
    const variable = kid === ownKid(keys) ? 'JWT_SECRET' : 'JWT_SECRET_PREVIOUS';
    return `${variable} is not a secret of this database: its fingerprint is ${kid}, and tokens are signed with ${current}. To change the secret see crm secret --help`;
  }
  return current === undefined || keys.has(current) ? undefined : lacksCurrent(current);
}

/** Why a process cannot issue tokens. */
export const lacksCurrent = (current: string): string =>
  `Tokens are signed with the secret ${current}, which is neither JWT_SECRET nor one of JWT_SECRET_PREVIOUS here`;

/** Keeps others from changing what is known until the transaction ends. */
export const lockSecrets = (tx: Queryable): Promise<unknown> =>
  tx.query(sql`LOCK TABLE signing_secrets IN SHARE ROW EXCLUSIVE MODE`);

/** Of several processes that find nothing known, the first is believed. */
async function introduce(tx: Queryable, keys: Keys): Promise<SigningSecret[]> {
  await lockSecrets(tx);
  await tx.query(
    sql`INSERT INTO signing_secrets (fingerprint, signs_from)
        SELECT kid, CASE WHEN kid = ${ownKid(keys)} THEN moment() ELSE to_timestamp(0) END
        FROM unnest(${[...keys.keys()]}::text[]) AS kid WHERE NOT EXISTS (SELECT FROM signing_secrets)`,
  );
  return knownSecrets(tx);
}
