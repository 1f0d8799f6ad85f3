/** Calls of people who have not proved yet who they are. */
import { clientOf } from '../../auth/client.ts';
import type { Attempt, SignInAttempts } from '../../auth/sign_in_attempts.ts';
import type { Context, Source } from '../../context/context.ts';
import type { Database } from '../../db/database.ts';

/** A call that nobody has answered for yet. */
export interface Visit extends Source, Pick<Context, 'now' | 'requestId'> {
  readonly db: Database;
  readonly attempts: SignInAttempts;
}

/** What is stored of where a call came from. */
export const shownOf = ({ ip, userAgent }: Source) => ({
  user_agent: [...userAgent].slice(0, 255).join(''),
  ip: ip.slice(0, 45),
});

/**
 * Decides something that counts as failed unless it succeeds, and so cannot be guessed.
 * @param email as whom; undefined where that is not said
 * @param decide is given the attempt and its id, and throws UNAUTHENTICATED when it failed
 * @throws {TooMany} when the client has failed too often
 */
export async function attempting<T>(
  { db, attempts, ip }: Visit,
  email: string | undefined,
  decide: (attempt: Attempt, id: number) => Promise<T>,
): Promise<T> {
  const attempt = { client: clientOf(ip), email };
  return attempts.count(db, attempt, (id) => decide(attempt, id));
}
