/**
 * Changing the secret that signs tokens, while processes are at work: the next one is announced, every
 * process gets it beside the one that it has, it is activated for all of them at once, and when no token of
 * the one before is wanted any more, that is retired.
 */
import type { Database, Queryable } from '../db/database.ts';
import { sql } from '../db/sql/sql.ts';
import { isoTimestamp } from '../db/sql/timestamp.ts';
import { type Keys, ownKid } from './keys.ts';
import { knownSecrets, lockSecrets, type SigningSecret } from './signing_secrets.ts';

/** A step cannot be taken, in words for an operator. */
export class CannotRotate extends Error {}

/** A secret with its history: timestamps in ISO 8601. */
export interface SecretRecord extends SigningSecret {
  readonly created_at: string;
  readonly signs_from: string | null;
  readonly retired_at: string | null;
  /** Tokens that it signed, and that are neither revoked nor expired. */
  readonly tokens: number;
}

/** All secrets that there ever were, the oldest first. */
export async function listSecrets(db: Queryable): Promise<readonly SecretRecord[]> {
  const states = new Map((await knownSecrets(db)).map((each) => [each.fingerprint, each.state]));
  // Tokens from before it was noted who signed them are of the first secret.
  const rows = await db.query<Omit<SecretRecord, 'state'>>(
    sql`SELECT s.fingerprint, s.created_at, s.signs_from, s.retired_at, (
          SELECT count(*) FROM api_tokens AS t
          WHERE t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
            AND coalesce(t.kid, (SELECT fingerprint FROM signing_secrets
              WHERE signs_from IS NOT NULL ORDER BY created_at, signs_from DESC LIMIT 1)) = s.fingerprint
        ) AS tokens
        FROM signing_secrets AS s ORDER BY s.created_at, s.fingerprint`,
  );
  const iso = (time: string | null) => (time === null ? null : isoTimestamp(time));
  return rows.map(({ fingerprint, created_at, signs_from, retired_at, tokens }) => ({
    fingerprint,
    state: states.get(fingerprint) ?? 'next',
    created_at: isoTimestamp(created_at),
    signs_from: iso(signs_from),
    retired_at: iso(retired_at),
    tokens,
  }));
}

/** Takes a step that no other one overlaps, with what is known before it. */
const step = <T>(
  db: Database,
  take: (tx: Queryable, known: readonly SigningSecret[]) => Promise<T>,
): Promise<T> =>
  db.transaction(async (tx) => {
    await lockSecrets(tx);
    return take(tx, await knownSecrets(tx));
  });

const nextOf = (known: readonly SigningSecret[]) =>
  known.find(({ state }) => state === 'next')?.fingerprint;

/**
 * Makes the next secret known: processes may have it from now on, and none signs with it yet.
 * @param keep puts the secret itself where it is to be; when it fails nothing has happened
 * @throws {CannotRotate} while another one is announced
 */
export const announce = (
  db: Database,
  fingerprint: string,
  keep: () => Promise<void> = async () => undefined,
): Promise<void> =>
  step(db, async (tx, known) => {
    const next = nextOf(known);
    if (next !== undefined) {
      throw new CannotRotate(
        `The secret ${next} is announced already: crm secret activate, or crm secret retire --fingerprint ${next}`,
      );
    }
    await tx.query(sql`INSERT INTO signing_secrets (fingerprint) VALUES (${fingerprint})`);
    await keep();
  });

/**
 * Lets the announced secret sign, in all processes from their next token on.
 * @param keys of this process, which must have it as all others must
 * @returns its fingerprint
 * @throws {CannotRotate} when none is announced, or this process does not have it
 */
export const activate = (db: Database, keys: Keys): Promise<string> =>
  step(db, async (tx, known) => {
    const next = nextOf(known);
    if (next === undefined) {
      throw new CannotRotate('No secret is announced: begin with crm secret rotate');
    }
    if (!keys.has(next)) {
      throw new CannotRotate(
        `The announced secret ${next} is neither JWT_SECRET nor one of JWT_SECRET_PREVIOUS here: give it to every process first`,
      );
    }
    await tx.query(
      sql`UPDATE signing_secrets SET signs_from = moment() WHERE fingerprint = ${next}`,
    );
    return next;
  });

/**
 * Ends a secret that does not sign: no process that starts from now on takes its tokens.
 * @param endTokens although there are some that are neither revoked nor expired
 * @throws {CannotRotate} when it signs, is not known, or has such tokens
 */
export async function retire(db: Database, fingerprint: string, endTokens: boolean): Promise<void> {
  await step(db, async (tx, known) => {
    const state = known.find((each) => each.fingerprint === fingerprint)?.state;
    if (state === undefined) throw new CannotRotate(`There is no secret ${fingerprint}`);
    if (state === 'current') {
      throw new CannotRotate(
        `The secret ${fingerprint} signs tokens: begin with crm secret rotate`,
      );
    }
    // Counted before, it could have signed some since.
    const listed = await listSecrets(tx);
    const tokens = listed.find((each) => each.fingerprint === fingerprint)?.tokens;
    if (tokens && !endTokens) {
      throw new CannotRotate(
        `Tokens of the secret ${fingerprint} are in force (${tokens}): replace them, or add --end-tokens`,
      );
    }
    await tx.query(
      sql`UPDATE signing_secrets SET retired_at = moment()
          WHERE fingerprint = ${fingerprint} AND retired_at IS NULL`,
    );
  });
}

/**
 * Makes a process's own secret the database's at once, where the one of before is lost. Tokens of secrets
 * that the process does not have end.
 */
export const adopt = (db: Database, keys: Keys): Promise<void> =>
  step(db, async (tx) => {
    await tx.query(
      sql`UPDATE signing_secrets SET retired_at = moment()
          WHERE retired_at IS NULL AND NOT fingerprint = ANY(${[...keys.keys()]}::text[])`,
    );
    await tx.query(
      sql`INSERT INTO signing_secrets (fingerprint, signs_from) VALUES (${ownKid(keys)}, moment())
          ON CONFLICT (fingerprint) DO UPDATE SET signs_from = EXCLUDED.signs_from, retired_at = NULL`,
    );
  });
