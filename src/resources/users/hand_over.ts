/** Handing what a leaving user answers for to somebody else, or to nobody. */
import type { UnitOfWork } from '../../context/context.ts';
import { type Move, moveReferences, referringTo } from '../kernel/write/move.ts';

/** Deals that a user created, assignments and webhooks, as schema.prisma has it: what does not go with the user. */
const handedOver = referringTo('users').filter(({ goesAlong }) => !goesAlong);

/**
 * Hands over whatever refers to a user and does not go along. Where the new user is already assigned to a deal, the old
 * assignment ends. All of it goes to the audit trail.
 * @param to the user who gets it; null: deals and webhooks are left without a user, assignments end
 * @param way `some`: one batch of each; `all`: every one
 * @returns whether there was anything
 * @throws {DatabaseError} unique, when `to` was assigned to one of the deals meanwhile: worth a retry
 */
export const handOver = async (
  ctx: UnitOfWork,
  from: number,
  to: number | null,
  way: Move['way'],
): Promise<boolean> =>
  (await moveReferences(ctx, { which: handedOver, from: [from], to, way })) > 0;
