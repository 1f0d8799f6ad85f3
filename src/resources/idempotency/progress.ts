/** Calls that are done in parts, each for itself: a retry goes on after the last. */
import type { Seals } from '../../auth/seals.ts';
import type { Progress } from '../../context.ts';
import type { Queryable } from '../../db/database.ts';
import { type Keyed, usedBefore } from '../../keyed.ts';
import { findParts, insertion, removalOfOld } from './stored.ts';

/** What the parts of a call with this key have reported. */
export function progressOf(
  db: Queryable,
  accountId: number,
  seals: Seals,
  digest: string,
  { request }: Keyed,
): Progress {
  const placeOf = (part: number) => `${digest} ${part}`;
  return {
    told: async () => {
      const parts = await findParts(db, accountId, digest);
      // An expired answer would be in the way of the one that replaces it.
      if (parts.some(({ kept }) => !kept)) await db.query(removalOfOld(accountId, digest));
      return new Map(
        parts
          .filter(({ kept }) => kept)
          .map(({ part, kid, fingerprint, answer }) => {
            if (fingerprint !== seals.fingerprint(kid, ...request)) throw usedBefore();
            return [part, answer === null ? null : seals.open(kid, answer, placeOf(part))];
          }),
      );
    },
    keep: async (tx, part, told, tellsOf) => {
      const { kid } = seals;
      const fingerprint = seals.fingerprint(kid, ...request);
      const answer = seals.seal(told, placeOf(part));
      const stored = { digest, part, kid, fingerprint, status: 200, answer };
      await tx.query(insertion(accountId, stored, tellsOf), { named: true });
    },
  };
}
