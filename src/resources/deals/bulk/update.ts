/** Deals of a batch that are changed together, by the rules of single ones. */
import { faultsOf } from '../../../context/context.ts';
import { Faults } from '../../../errors/errors.ts';
import { asId } from '../../../lib/integer.ts';
import { faultsOr, notFoundPlan, updated } from '../../kernel/batch/plain.ts';
import type { BulkUseCase } from '../../kernel/batch/verb.ts';
import { inConflictFreeRounds } from '../../kernel/batch/waves.ts';
import { readFields } from '../../kernel/fields/input.ts';
import { planDealChange } from '../plan.ts';
import { deals } from '../record.ts';
import { lookUpReferences } from '../references.ts';
import { dependsOn, lockDeals } from './lock.ts';
import { changeDeals } from './write.ts';

/** Changes deals, as `updateDeal` does one. */
export const updateDeals: BulkUseCase = (ctx, items) => {
  const changes = items.map(({ record, misplaced }) => {
    const faults = faultsOf({ misplaced });
    return { id: asId(record.id), fields: readFields(record, deals.fields, faults), faults };
  });
  return inConflictFreeRounds(changes, {
    look: async (part) => {
      const records = part.map((each) => each.fields);
      return lockDeals(ctx, part, await lookUpReferences(ctx, records, false));
    },
    plan: ({ id, fields, faults: known }, current) => {
      const before = id === undefined ? undefined : current.before(id, fields);
      if (!before) return notFoundPlan;
      const faults = new Faults();
      faults.addAll(known, '');
      planDealChange(before, fields, ctx.now, faults);
      return { ...faultsOr(faults, { before, fields }), ...dependsOn(before, fields) };
    },
    write: async (changes, { orders }) => {
      await changeDeals(ctx, changes, orders);
      return changes.map(({ before }) => updated(before));
    },
  });
};
