/** Records without special rules, written together: as `kernel/write.ts` writes single ones. */
import { faultsOf, type UnitOfWork } from '../../../context/context.ts';
import { name, sql } from '../../../db/sql/sql.ts';
import { type Faults, notFound } from '../../../errors/errors.ts';
import { asId } from '../../../lib/integer.ts';
import { auditEntries } from '../../audit/entry.ts';
import { type Fields, readFields, readNew } from '../fields/input.ts';
import { type Resource, withDefaults } from '../resource.ts';
import { removal } from '../write/removal.ts';
import { type Change, changeMany } from './change.ts';
import { insertingMany } from './insert.ts';
import type { BulkUseCase, Item, Outcome } from './verb.ts';
import { inConflictFreeRounds, type RecordPlan } from './waves.ts';

/** What is to be written, unless there are faults. */
export const faultsOr = <W>(faults: Faults, write: W): Pick<RecordPlan<W>, 'outcome' | 'write'> =>
  faults.any ? { outcome: { fault: faults.fault() } } : { write };

/** The plan for a record that there is not. */
export const notFoundPlan = { outcome: { fault: notFound() }, touches: [] } as const;

export const updated = ({ id }: Pick<Change, 'id'>): Outcome => ({ status: 200, id });

/** Creates records, as `creating` does one. */
export function creatingMany<F extends Fields>(resource: Resource<F>): BulkUseCase {
  const insert = insertingMany(resource);
  return (ctx, items) =>
    inConflictFreeRounds(items, {
      look: async () => undefined,
      plan: ({ record, misplaced }) => {
        const faults = faultsOf({ misplaced });
        const fields = readNew(record, resource.fields, faults);
        if (faults.any) return { outcome: { fault: faults.fault() }, touches: [] };
        return { write: withDefaults(resource, fields), touches: [] };
      },
      write: async (records) => (await insert(ctx, records)).map((id) => ({ status: 201, id })),
    });
}

/** Changes the fields sent of records, as `updating` does. */
export const updatingMany =
  (resource: Resource): BulkUseCase =>
  (ctx, items) =>
    inConflictFreeRounds(items, {
      look: (part) => lockNamed(ctx, resource, part),
      plan: ({ record, misplaced }, ids) => {
        const id = asId(record.id);
        if (id === undefined || !ids.has(id)) return notFoundPlan;
        const faults = faultsOf({ misplaced });
        const fields = readFields(record, resource.fields, faults);
        return { ...faultsOr(faults, { id, fields }), touches: [String(id)] };
      },
      write: async (changes) => {
        await changeMany(ctx, resource, changes);
        return changes.map(updated);
      },
    });

async function lockNamed(
  { db, viewer }: UnitOfWork,
  { table }: Resource,
  items: readonly Item[],
): Promise<ReadonlySet<number>> {
  const rows = await db.query<{ id: number }>(
    sql`SELECT id FROM ${name(table)} WHERE account_id = ${viewer.accountId} AND id = ANY(${idsIn(items)}::bigint[])
      ORDER BY id FOR NO KEY UPDATE`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The ids that records name, each once. */
export const idsIn = (items: readonly Item[]): readonly number[] => [
  ...new Set(items.flatMap(({ record }) => asId(record.id) ?? [])),
];

/**
 * Removes records.
 * @param remove returns the ids of those that there were
 */
export const deletingWith =
  (remove: (ctx: UnitOfWork, ids: readonly number[]) => Promise<readonly number[]>): BulkUseCase =>
  async (ctx, items) => {
    const removals = new Set(await remove(ctx, idsIn(items)));
    return items.map(({ record }): Outcome => {
      const id = asId(record.id);
      // One that is named twice is there once.
      return id !== undefined && removals.delete(id) ? { status: 204, id } : notFoundPlan.outcome;
    });
  };

/** Removes what nothing else goes along with, as `deleting` does. */
export const deletingMany = ({ table }: Resource): BulkUseCase =>
  deletingWith(async (ctx, ids) => {
    const { steps, entries } = removal(ctx, table, sql`id = ANY(${ids}::bigint[])`);
    const gone = await ctx.db.query<{ id: number }>(
      sql`WITH ${steps}, audit AS (${auditEntries(ctx, ...entries)}) SELECT id FROM gone`,
    );
    return gone.map(({ id }) => id);
  });
