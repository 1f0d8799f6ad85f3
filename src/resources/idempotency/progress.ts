/** Calls that are done in parts, each for itself: a retry goes on after the last. */
import type { Encryption } from '../../auth/encryption.ts';
import type { Progress } from '../../context/context.ts';
import { type KeyedRequest, stillAtWork, usedBefore } from '../../context/idempotency.ts';
import type { Queryable } from '../../db/database.ts';
import { answeredWhole, findParts, insertion, removalOfOld } from './answers.ts';

/**
 * What the parts of a call with this key have reported.
 * @param note to be called with the bytes that were stored of a part
 */
export function progressOf(
  db: Queryable,
  accountId: number,
  seals: Encryption,
  digest: string,
  { request }: KeyedRequest,
  note: (bytes: number) => void,
): Progress & { hasParts(): boolean } {
  const placeOf = (part: number) => `${digest} ${part}`;
  let hasParts = false;
  return {
    hasParts: () => hasParts,
    answers: async () => {
      const parts = await findParts(db, accountId, digest);
      hasParts ||= parts.some(({ kept }) => kept);
      // The whole was answered since the answer to it was looked for.
      if (parts.some(({ kept, answer }) => kept && answer === answeredWhole)) throw stillAtWork();
      // An expired answer would be in the way of the one that replaces it.
      if (parts.some(({ kept }) => !kept)) await db.query(removalOfOld(accountId, digest));
      return new Map(
        parts
          .filter(({ kept }) => kept)
          .map(({ part, kid, fingerprint, answer }) => {
            if (fingerprint !== seals.fingerprint(kid, ...request)) throw usedBefore();
            return [part, answer === null ? null : seals.decrypt(kid, answer, placeOf(part))];
          }),
      );
    },
    keep: async (tx, part, text, tellsOf) => {
      const { kid } = seals;
      const fingerprint = seals.fingerprint(kid, ...request);
      const answer = seals.encrypt(text, placeOf(part));
      const stored = { digest, part, kid, fingerprint, status: 200, answer };
      await tx.query(insertion(accountId, stored, tellsOf));
      hasParts = true;
      note(answer.length);
    },
  };
}
