/** Deal products of a batch, written together by the rules of single ones. */
import { faultsOf, type UnitOfWork } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { Faults } from '../../errors/errors.ts';
import { asId } from '../../lib/integer.ts';
import { auditEntries } from '../audit/entry.ts';
import { changeMany } from '../kernel/batch/change.ts';
import { insertingMany } from '../kernel/batch/insert.ts';
import { faultsOr, notFoundPlan, updated } from '../kernel/batch/plain.ts';
import type { BulkUseCase } from '../kernel/batch/verb.ts';
import { inConflictFreeRounds } from '../kernel/batch/waves.ts';
import { type ParsedInput, readFields, readNew } from '../kernel/fields/input.ts';
import { removal } from '../kernel/write/removal.ts';
import { deal_products, totalOf } from './record.ts';
import { type Addition, addToTotals, type LockedDeal, lockDeals } from './totals.ts';
import { type CurrentDealProduct, currentDealProducts, planLineChange } from './update.ts';

type DealProductFields = ParsedInput<typeof deal_products.fields>;

const insert = insertingMany(deal_products, ['total_amount_in_cents']);

/** Attaches products to deals, as `createDealProduct` does one. */
export const createDealProducts: BulkUseCase = (ctx, items) => {
  const lines = items.map(({ record, misplaced }) => {
    const faults = faultsOf({ misplaced });
    return { fields: readNew(record, deal_products.fields, faults), faults };
  });
  return inConflictFreeRounds(lines, {
    look: (part) =>
      lookForBoth(
        ctx,
        part.map(({ fields }) => fields),
      ),
    plan: ({ fields, faults: known }, { deals, products }) => {
      const deal = deals.get(fields.deal_id ?? 0);
      const product = products.get(fields.product_id ?? 0);
      const areNamed = fields.deal_id !== undefined && fields.product_id !== undefined;
      if (known.any && (!areNamed || (deal && product))) {
        return { outcome: { fault: known.fault() }, touches: [] };
      }
      if (!deal || !product) return notFoundPlan;
      const faults = new Faults();
      const write = attached(fields, deal, product, faults);
      return { ...faultsOr(faults, write), touches: [] };
    },
    write: async (records, { deals }) => {
      const ids = await insert(ctx, records);
      const additions = records.map((each) => addition(each, each.total_amount_in_cents));
      await addToTotals(ctx, deals, additions, 'deal_product_added');
      return ids.map((id) => ({ status: 201, id }));
    },
  });
};

/** A product, with what a deal gets of it unless something else is sent. */
interface Product {
  readonly id: number;
  readonly name: string;
  readonly identifier: string;
  readonly amount_in_cents: number;
}

const attached = (
  { quantity = 1, unit_amount_in_cents, product_name, product_identifier }: DealProductFields,
  deal: LockedDeal,
  product: Product,
  faults: Faults,
) => {
  const unit = unit_amount_in_cents ?? product.amount_in_cents;
  return {
    quantity,
    unit_amount_in_cents: unit,
    product_name: product_name ?? product.name,
    product_identifier: product_identifier ?? product.identifier,
    product_id: product.id,
    deal_id: deal.id,
    total_amount_in_cents: totalOf(quantity, unit, faults),
  };
};

const addition = (
  { deal_id, product_id, product_name }: Omit<Addition, 'added'>,
  added: number,
): Addition => ({ deal_id, product_id, product_name, added });

async function lookForBoth(ctx: UnitOfWork, lines: readonly DealProductFields[]) {
  const idsOf = (field: 'deal_id' | 'product_id') => lines.flatMap(({ [field]: id }) => id ?? []);
  const deals = await lockDeals(ctx, idsOf('deal_id'));
  const products = await ctx.db.query<Product>(
    sql`SELECT id, name, identifier, amount_in_cents FROM products
      WHERE account_id = ${ctx.viewer.accountId} AND id = ANY(${idsOf('product_id')}::bigint[])`,
  );
  return { deals, products: new Map(products.map((product) => [product.id, product])) };
}

/** Changes deal products, as `updateDealProduct` does one. */
export const updateDealProducts: BulkUseCase = (ctx, items) => {
  const changes = items.map(({ record, misplaced }) => {
    const faults = faultsOf({ misplaced });
    return {
      id: asId(record.id),
      fields: readFields(record, deal_products.fields, faults),
      faults,
    };
  });
  return inConflictFreeRounds(changes, {
    look: (part) =>
      lockAttached(
        ctx,
        part.flatMap(({ id }) => id ?? []),
      ),
    plan: ({ id = 0, fields, faults: known }, { current }) => {
      const before = current.get(id);
      if (!before) return notFoundPlan;
      const faults = new Faults();
      faults.addAll(known, '');
      const plan = planLineChange(before, fields, faults);
      return { ...faultsOr(faults, plan), touches: [String(id)] };
    },
    write: async (plans, { deals }) => {
      await changeMany(
        ctx,
        deal_products,
        plans.map(({ after }) => ({ id: after.id, fields: written(after) })),
      );
      const additions = plans.map(({ after, difference }) => addition(after, difference));
      await addToTotals(
        ctx,
        deals,
        additions.filter(({ added }) => added !== 0),
      );
      return plans.map(({ after }) => updated(after));
    },
  });
};

/** The columns that a change writes. */
const written = ({
  quantity,
  unit_amount_in_cents,
  total_amount_in_cents,
  product_name,
  product_identifier,
}: ReturnType<typeof planLineChange>['after']) => ({
  quantity,
  unit_amount_in_cents,
  total_amount_in_cents,
  product_name,
  product_identifier,
});

async function lockAttached(ctx: UnitOfWork, ids: readonly number[]) {
  const deals = await lockDealsOf(ctx, ids);
  const rows = await ctx.db.query<CurrentDealProduct>(
    sql`${currentDealProducts(ctx.viewer.accountId)} AND dp.id = ANY(${ids}::bigint[])
      ORDER BY dp.id FOR NO KEY UPDATE OF dp`,
  );
  return { deals, current: new Map(rows.map((each) => [each.id, each])) };
}

async function lockDealsOf(ctx: UnitOfWork, ids: readonly number[]) {
  const rows = await ctx.db.query<{ deal_id: number }>(
    sql`SELECT deal_id FROM deal_products WHERE account_id = ${ctx.viewer.accountId} AND id = ANY(${ids}::bigint[])`,
  );
  return lockDeals(
    ctx,
    rows.map(({ deal_id }) => deal_id),
  );
}

/**
 * Takes products off deals, as `deleteDealProduct` does one.
 * @returns the ids of those that there were
 */
export async function removeDealProducts(
  ctx: UnitOfWork,
  ids: readonly number[],
): Promise<readonly number[]> {
  const deals = await lockDealsOf(ctx, ids);
  const { steps, entries } = removal(ctx, 'deal_products', sql`id = ANY(${ids}::bigint[])`);
  const gone = await ctx.db.query<Omit<Addition, 'added'> & { id: number; total: number }>(
    sql`WITH ${steps}, audit AS (${auditEntries(ctx, ...entries)})
      SELECT id, deal_id, product_id, product_name, total_amount_in_cents AS total FROM gone`,
  );
  const byId = new Map(gone.map((each) => [each.id, each]));
  const inOrder = ids.flatMap((id) => byId.get(id) ?? []);
  const additions = inOrder.map((each) => addition(each, -each.total));
  await addToTotals(ctx, deals, additions, 'deal_product_removed');
  return inOrder.map(({ id }) => id);
}
