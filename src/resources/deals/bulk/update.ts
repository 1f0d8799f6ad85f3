/** Deals of a batch that are changed together, by the rules of single ones. */
import { faultsOf } from '../../../context/context.ts';
import { Faults } from '../../../errors/errors.ts';
import { asId } from '../../../lib/integer.ts';
import { absent, unless, updated } from '../../kernel/batch/plain.ts';
import type { Many } from '../../kernel/batch/verb.ts';
import { inWaves } from '../../kernel/batch/waves.ts';
import { readFields } from '../../kernel/fields/input.ts';
import { planned } from '../plan.ts';
import { deals } from '../record.ts';
import { lookForReferences } from '../references.ts';
import { dependsOn, lockDeals } from './lock.ts';
import { changeDeals } from './write.ts';

/** Changes deals, as `updateDeal` does one. */
export const updateDeals: Many = (ctx, items) => {
  const read = items.map(({ record, misplaced }) => {
    const faults = faultsOf({ misplaced });
    return { id: asId(record.id), sent: readFields(record, deals.fields, faults), faults };
  });
  return inWaves(read, {
    look: async (wanted) => {
      const sent = wanted.map((each) => each.sent);
      return lockDeals(ctx, wanted, await lookForReferences(ctx, sent, false));
    },
    plan: ({ id, sent, faults: known }, found) => {
      const before = id === undefined ? undefined : found.before(id, sent);
      if (!before) return absent;
      const faults = new Faults();
      faults.addAll(known, '');
      planned(before, sent, ctx.now, faults);
      return { ...unless(faults, { before, sent }), ...dependsOn(before, sent) };
    },
    write: async (changes, { orders }) => {
      await changeDeals(ctx, changes, orders);
      return changes.map(({ before }) => updated(before));
    },
  });
};
