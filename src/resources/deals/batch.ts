import { deletingWith } from '../kernel/batch/plain.ts';
import { batching } from '../kernel/batch/run.ts';
import { creates, deletes, updates, upserts } from '../kernel/batch/verb.ts';
import { createDeals } from './bulk/create.ts';
import { updateDeals } from './bulk/update.ts';
import { upsertDeals } from './bulk/upsert.ts';
import { createDeal } from './create.ts';
import { deleteDeal, removeDeals } from './delete.ts';
import { deals } from './record.ts';
import { updateDeal } from './update.ts';
import { upsertDeal } from './upsert.ts';

export const batchDeals = batching(deals, {
  create: { action: 'deal.create', one: creates(createDeal), many: createDeals },
  upsert: {
    action: 'deal.create',
    one: upserts(upsertDeal, ({ deal }) => deal),
    many: upsertDeals,
    besides: ['contact_attributes'],
  },
  update: { action: 'deal.update', one: updates(updateDeal), many: updateDeals },
  delete: { action: 'deal.delete', one: deletes(deleteDeal), many: deletingWith(removeDeals) },
});
