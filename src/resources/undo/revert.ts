import { authorize } from '../../auth/policy.ts';
import { type Context, faultsOf, type UnitOfWork } from '../../context/context.ts';
import { rehearse } from '../../context/dry_run.ts';
import { conflict, isBroken } from '../../db/errors.ts';
import { mustExist } from '../../errors/codes.ts';
import type { Faults } from '../../errors/errors.ts';
import { ConcurrencyLimit } from '../../lib/concurrency_limit.ts';
import { Portions } from '../../lib/portions.ts';
import { keepErasuresOut } from '../erasures/lock.ts';
import { flag, optionalReference, orDefault, text, timestamp } from '../kernel/fields/fields.ts';
import { type Input, readFields } from '../kernel/fields/input.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import type { Contents } from './contents.ts';
import { withErased } from './erasures.ts';
import {
  type Choice,
  type FirstEntry,
  findRecords,
  findUnknown,
  readReversals,
  requireRequest,
} from './history.ts';
import { type Kind, kinds } from './kinds.ts';
import { type Plan, planReversal } from './plan.ts';
import { readContents } from './read_contents.ts';
import type { Reason } from './runs.ts';
import { asObject } from './values.ts';
import { write } from './write.ts';

/** A record that gets values back, comes back, or goes. */
interface Change {
  readonly record_type: Kind;
  readonly record_id: number;
  readonly action: 'create' | 'update' | 'delete';
  readonly before: string | null;
  readonly after: string | null;
}

/** What stays as it is. */
interface ReversalConflict {
  readonly record_type: Kind;
  readonly record_id: number;
  readonly fields: string[];
  readonly reason: Reason;
}

/** What taking changes back did, or would do. */
export interface Reversal {
  readonly reverted: number;
  readonly changes: Change[];
  readonly conflicts_count: number;
  readonly conflicts: ReversalConflict[];
  readonly request_id: string;
}

/** At most this many are shown: changes with their values, conflicts without. */
const mostChanges = 200;
const mostConflicts = 1_000;

/**
 * What is read and planned for one call can be much, so there are few at once: two of all accounts in this
 * process, and one of each. The others wait, until so many do that some of the busiest account are refused.
 */
const reversals = new ConcurrencyLimit<number>(
  2,
  { max: 64, refusal: 'Too many changes are being reverted' },
  1,
);

const fields = {
  after: timestamp,
  before: timestamp,
  token_id: optionalReference,
  user_id: optionalReference,
  request_id: orDefault(text()),
  dry_run: flag,
};

/**
 * Takes back what a token, a user or a request changed, where nobody has changed the same since. Records are
 * locked before their trail is read, so that what is planned is what there is; a race that is lost all the
 * same begins anew. It writes entries as any change does, and no events.
 * @throws {Fault} NOT_FOUND for a request that the trail does not know; VALIDATION_FAILED when neither
 *   user, token nor request is named, for a user or token that never existed, for a period that ends before
 *   it begins, and where it would be too much at once
 */
export async function revertChanges(
  ctx: Context,
  account: unknown,
  input: Input,
): Promise<Reversal> {
  const faults = faultsOf(ctx);
  const { dry_run, ...choice } = readFields(input, fields, faults);
  authorize(ctx.viewer, account, isOwn(ctx, choice) ? 'me.read' : 'audit_entry.revert');
  requireSomebody(choice, faults);
  requirePeriod(choice, faults);
  faults.throwIfAny();
  await requireKnown(ctx, choice, faults);
  const run = (on: Context) => reverted(on, choice);
  return reversals.run(ctx.viewer.accountId, () => (dry_run ? rehearse(ctx, run) : run(ctx)));
}

function reverted(ctx: Context, choice: Choice): Promise<Reversal> {
  return inTransaction(ctx, async (tx) => {
    await keepErasuresOut(tx.db, tx.viewer.accountId);
    const portions = new Portions(tx.viewer.accountId);
    const { plan: reversal, contents } = await plan(tx, choice, portions);
    // Somebody has taken an e-mail, or removed what is referred to, since it was looked for.
    await write(tx, reversal, contents, portions).catch((error: unknown) => {
      throw isBroken('unique')(error) || isBroken('foreign_key')(error) ? conflict() : error;
    });
    return reversalOf(tx, reversal);
  });
}

/** Whether nothing is chosen but what the viewer's own token changed. */
const isOwn = ({ viewer }: UnitOfWork, { token_id }: Choice): boolean =>
  viewer.tokenId !== null && token_id === viewer.tokenId;

/**
 * Whoever may change records may take back what it changed of them.
 * @throws {Fault} FORBIDDEN, INSUFFICIENT_SCOPE
 */
function authorizeKinds({ viewer }: UnitOfWork, entries: readonly FirstEntry[]): void {
  for (const kind of new Set(entries.map((one) => one.kind))) {
    authorize(viewer, viewer.accountId, `${kind}.update`);
  }
}

function requireSomebody({ token_id, user_id, request_id }: Choice, faults: Faults): void {
  if (token_id || user_id || request_id || faults.any) return;
  faults.add('token_id', 'must be given, or user_id or request_id');
}

/** A user or token that never existed has changed nothing: the caller must have meant another. */
async function requireKnown(ctx: Context, choice: Choice, faults: Faults): Promise<void> {
  for (const field of await findUnknown(ctx, choice)) faults.add(field, mustExist);
  faults.throwIfAny();
}

/** A period that ends when it begins, or before, holds nothing: the caller must have meant another. */
function requirePeriod({ after, before }: Choice, faults: Faults): void {
  if (after && before && before <= after) faults.add('before', 'must be later than after');
}

async function plan(
  ctx: UnitOfWork,
  choice: Choice,
  portions: Portions,
): Promise<{ readonly plan: Plan; readonly contents: Contents }> {
  const seen = await findRecords(ctx, choice);
  if (isOwn(ctx, choice)) authorizeKinds(ctx, seen);
  // Most requests that are named have changed something, so the trail is not searched for them twice.
  if (choice.request_id && seen.length === 0) await requireRequest(ctx, choice.request_id);
  const before = await readReversals(ctx, choice, seen, portions);
  const contents = await readContents(ctx, before, portions);
  // A transaction that had one of the records locked may have written about it until now.
  const records = await findRecords(ctx, choice);
  const current = await readReversals(ctx, choice, records, portions);
  if (current.length !== before.length) throw conflict();
  await portions.each(current.entries(), ([at, one]) => {
    if (JSON.stringify(one, asLists) !== JSON.stringify(before[at], asLists)) throw conflict();
  });
  const marked = await withErased(ctx, current);
  return { plan: await planReversal(marked, contents, portions), contents };
}

const asLists = (_: string, value: unknown): unknown => (value instanceof Map ? [...value] : value);

function reversalOf({ requestId }: UnitOfWork, plan: Plan): Reversal {
  const { restored, removed, revived } = plan;
  const conflicts = [...plan.conflicts, ...plan.orphans];
  const changes: Change[] = [];
  let reverted = 0;
  const add = (change: () => Change) => {
    reverted += 1;
    if (changes.length < mostChanges) changes.push(change());
  };
  for (const kind of kinds) {
    for (const [id, { before, after }] of restored.get(kind) ?? []) {
      add(() => ({
        ...{ record_type: kind, record_id: id, action: 'update' },
        before: asObject(before),
        after: asObject(after),
      }));
    }
    for (const [id, row] of revived.get(kind) ?? []) {
      const change = { record_type: kind, record_id: id, action: 'create' } as const;
      add(() => ({ ...change, before: null, after: asObject(row) }));
    }
    for (const id of removed.get(kind) ?? []) {
      const change = { record_type: kind, record_id: id, action: 'delete' } as const;
      add(() => ({ ...change, before: null, after: null }));
    }
  }
  return {
    ...{ reverted, changes, conflicts_count: conflicts.length, request_id: requestId },
    conflicts: conflicts.slice(0, mostConflicts).map(({ kind, id, fields, reason }) => ({
      record_type: kind,
      record_id: id,
      fields: [...fields],
      reason,
    })),
  };
}
