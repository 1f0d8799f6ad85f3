import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import type { Database } from '../../db/database.ts';
import { Fault, notFound } from '../../errors/errors.ts';
import { begin, leave, type Progress, proceed, type Reference } from './erasure.ts';
import { isKnown } from './records.ts';

/** What an erasure did: the contact's id, and how many entries hold no values any more. */
export interface Erasure {
  readonly id: number;
  readonly entries: number;
  /** Whether it is finished. If not, the service goes on with it. */
  readonly done: boolean;
}

/** How long a request waits for its erasure, in milliseconds. */
const patienceMs = 3000;

/**
 * Removes a contact as its deletion does, unless that was done before, and takes the values out of the
 * trail of it and of all deals that it ever had. Fields, their order and who changed them when stay. Stored
 * answers that show any of these are not repeated, and the answers of webhooks' receivers are erased.
 *
 * Once the contact is gone nobody writes about it any more, so its trail can be found and emptied
 * in many short steps. An erasure that was begun is finished by whatever process is there, and the last
 * thing written is that it was done.
 * @param patience how long to wait for that, in milliseconds
 * @throws {Fault} NOT_FOUND when the account never had this contact
 */
export async function eraseContact(
  ctx: Context,
  account: unknown,
  id: unknown,
  patience = patienceMs,
): Promise<Erasure> {
  authorize(ctx.viewer, account, 'contact.erase');
  const contactId = readId(id);
  if (!(await isKnown(ctx, contactId))) throw notFound();
  // A call with a key that does nothing else may write outside of the transaction of its answer.
  const db = ctx.progress ? (ctx.db.outsideTransaction ?? ctx.db) : ctx.db;
  const which = await begin({ ...ctx, db }, contactId);
  const { isOver, entries } = await wait(db, which, performance.now() + patience);
  return { id: contactId, entries, done: isOver };
}

/** @param until when to stop, on the clock of `performance` */
async function wait(db: Database, which: Reference, until: number): Promise<Progress> {
  let progress: Progress = { isOver: false, entries: 0 };
  try {
    for await (progress of proceed(() => db, which)) {
      if (performance.now() >= until) break;
    }
    if (!progress.isOver) await leave(db, which);
  } catch (error) {
    // It goes on once the database can be reached, or is no longer overloaded.
    if (!(error instanceof Fault) || error.code !== 'UNAVAILABLE') throw error;
  }
  return progress;
}
