/** Reads, and locks, what is there of the records that are to be put back. */
import type { UnitOfWork } from '../../context/context.ts';
import { conflict } from '../../db/errors.ts';
import type { Portions } from '../../lib/portions.ts';
import type { Contents } from './contents.ts';
import { dealPlace, type Kind } from './kinds.ts';
import type { Lists } from './lines.ts';
import { dealsIn, lockContacts, lockStages, type Standing } from './locks.ts';
import { readHolders, readMoments, readReferences, readTargets } from './references.ts';
import { type AffectedDeals, readBeneath, readRows } from './rows.ts';
import type { RecordReversal, Row } from './runs.ts';

/**
 * Records that deals refer to are locked last, as by anyone else who writes a deal: they lock the
 * deal first.
 */
const lockOrder = [
  ...(['pipeline', 'stage', 'deal', 'deal_product', 'deal_assignee', 'event'] as const),
  ...(['product', 'contact'] as const),
];

/**
 * Reads all of that, and locks it. As for a deletion, contacts are locked before the stages of their deals,
 * and at the end also against new references to them.
 * @throws {DatabaseError} conflict, when a deal was moved meanwhile
 * @throws {Fault} VALIDATION_FAILED when there are too many deals in the stages, or records beneath deals
 */
export async function readContents(
  ctx: UnitOfWork,
  reversals: readonly RecordReversal[],
  portions: Portions,
): Promise<Contents> {
  const placed = reversals.filter(isPlaced);
  await lockContacts(ctx, reversals);
  const standing = await lockStages(ctx, reversals, placed);
  const { deals, ranks } = await dealsIn(ctx, standing, portions);
  const beneath = await readBeneath(ctx, reversals);
  const rows = new Map<Kind, Map<number, Row>>();
  for (const kind of lockOrder)
    rows.set(kind, await readRows(ctx, kind, reversals, beneath, portions));
  await tellPositions(rows.get('deal'), deals, placed, standing, portions);
  return {
    ...{ rows, deals, ranks, stages: standing.lists, pipelines: standing.pipelines },
    ...(await listsOf(rows, beneath, portions)),
    ...(await readHolders(ctx, reversals, rows, portions)),
    references: await readReferences(ctx, reversals, rows),
    known: await readTargets(ctx, reversals, portions),
    moments: await readMoments(ctx, reversals),
  };
}

/** Whether it matters where a deal stands. */
const isPlaced = ({ kind, created, removed, steps, overtaken }: RecordReversal): boolean =>
  kind === 'deal' &&
  (created !== undefined ||
    removed !== undefined ||
    steps.length > 0 ||
    overtaken.some(({ fields }) => fields.some((field) => dealPlace.includes(field))));

/** Adds to the deals the positions that they have. */
async function tellPositions(
  rows: Map<number, Row> | undefined,
  deals: Lists,
  placed: readonly RecordReversal[],
  { sought }: Standing,
  portions: Portions,
): Promise<void> {
  const ids = new Set(placed.map(({ id }) => id));
  const positions = new Map<number, number>();
  for (const members of deals.values()) {
    await portions.each(members.entries(), ([at, id]) => {
      if (ids.has(id)) positions.set(id, at + 1);
    });
  }
  for (const id of ids) {
    const row = rows?.get(id);
    if (!row) continue;
    // It has moved since the stages were locked that it was seen in.
    if (!sought.has(Number(row.get('stage_id')))) throw conflict();
    rows?.set(id, new Map([...row, ['position', String(positions.get(id))]]));
  }
}

/** What is beneath deals, as it was found once they were locked. */
async function listsOf(
  rows: ReadonlyMap<Kind, ReadonlyMap<number, Row>>,
  beneath: AffectedDeals,
  portions: Portions,
): Promise<Pick<Contents, 'products' | 'events'>> {
  const under = async (kind: 'deal_product' | 'event', deals: ReadonlySet<number>) => {
    const lists = new Map<number, number[]>([...deals].map((id) => [id, []]));
    await portions.each(rows.get(kind) ?? [], ([id, row]) => {
      lists.get(Number(row.get('deal_id')))?.push(id);
    });
    return lists;
  };
  return {
    products: await under('deal_product', beneath.priced),
    events: await under('event', beneath.moved),
  };
}
