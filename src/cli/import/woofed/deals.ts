/** A deal, with its assignees and its products: all of it or nothing. */
import type { Context } from '../../../context/context.ts';
import type { Fields } from '../../../import/draft.ts';
import { asId } from '../../../lib/integer.ts';
import { addAssignee, removeAssignee } from '../../../resources/deal_assignees/verbs.ts';
import { idAlone } from '../../../resources/kernel/read/record.ts';
import { call } from '../../../rest/call.ts';
import { dealBody, lineBody } from './bodies.ts';
import type { Stages } from './pipelines.ts';
import { create, type Run, slices } from './run.ts';
import { type Foreign, foreigners } from './source.ts';

/** Why a deal does not come. */
export class DealRefusal extends Error {
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super('the deal was refused');
    this.errors = errors;
  }
}

/** What deals refer to, beside users. */
export interface DealReferences {
  readonly stages: Stages;
  /** @returns the id here of a record; undefined where there is none */
  readonly contact: (there: unknown) => number | undefined;
  readonly product: (there: unknown) => number | undefined;
}

/** As many as a batch may have. */
const maxLines = 1000;

/**
 * @returns its id here
 * @throws {DealRefusal}
 */
export async function createDeal(
  ctx: Context,
  { users, userId, key }: Run,
  deal: Foreign,
  { stages, contact, product }: DealReferences,
): Promise<number> {
  const stageId = stages.get(asId(deal.stage_id) ?? 0);
  const contactId = contact(deal.contact_id);
  const lines = foreigners(deal.deal_products);
  requireAll([
    [stageId, `Stage ${deal.stage_id}`],
    [contactId, `Contact ${deal.contact_id}`],
    ...lines.map((line) => [product(line.product_id), `Product ${line.product_id}`] as const),
  ]);
  const creator = users.get(asId(deal.created_by_id) ?? 0) ?? userId;
  const own = { ...ctx, viewer: { ...ctx.viewer, userId: creator } };
  const body = { ...dealBody(deal, key), stage_id: stageId, contact_id: contactId };
  const [id = 0] = await created(own, 'deals', [body]);
  if (Array.isArray(deal.deal_assignees)) {
    await assign(ctx, id, creator, assigneesOf(deal.deal_assignees, users));
  }
  const bodies = lines.map((line) => ({
    ...lineBody(line),
    product_id: product(line.product_id),
    deal_id: id,
  }));
  for (const part of slices(bodies, maxLines)) await created(ctx, 'deal_products', part);
  return id;
}

function requireAll(named: readonly (readonly [number | undefined, string])[]): void {
  const missing = named.filter(([id]) => id === undefined).map(([, name]) => name);
  if (missing.length > 0) throw new DealRefusal(missing.map((name) => `${name} did not come here`));
}

async function created(
  ctx: Context,
  records: 'deals' | 'deal_products',
  bodies: readonly Fields[],
): Promise<readonly number[]> {
  const results = await create(ctx, records, bodies);
  const errors = results.flatMap((result) => (result.id === null ? (result.errors ?? []) : []));
  if (errors.length > 0) throw new DealRefusal(errors);
  return results.map(({ id }) => id ?? 0);
}

const assigneesOf = (assigned: readonly unknown[], users: Run['users']): ReadonlySet<number> =>
  new Set(foreigners(assigned).flatMap(({ user_id }) => users.get(asId(user_id) ?? 0) ?? []));

/** @param creator the user to whom the deal was assigned when it was created */
async function assign(
  ctx: Context,
  dealId: number,
  creator: number,
  ids: ReadonlySet<number>,
): Promise<void> {
  const { accountId } = ctx.viewer;
  for (const user_id of ids) {
    if (user_id === creator) continue;
    await addAssignee(ctx, accountId, { deal_id: dealId, user_id }, idAlone);
  }
  if (ids.has(creator)) return;
  const { deal_assignees } = JSON.parse(await call(ctx, 'deal', { id: dealId }));
  const [own] = foreigners(deal_assignees).filter(({ user_id }) => user_id === creator);
  if (own) await removeAssignee(ctx, accountId, own.id);
}
