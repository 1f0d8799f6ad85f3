/**
 * Plans what taking changes back comes to, from what the trail says and what is there. It knows no
 * database.
 */

import type { Portions } from '../../lib/portions.ts';
import { kinds as writable } from '../events/record.ts';
import type { Contents } from './contents.ts';
import { Draft, type RestoredValues } from './draft.ts';
import { type Kind, kindOf, kinds, referencesOf, referringTo } from './kinds.ts';
import type { Lists } from './lines.ts';
import { type Return, returned } from './places.ts';
import { moveEvents, pipelineOf, planRevivals } from './revivals.ts';
import { type Conflict, type RecordReversal, type Row, stageBefore } from './runs.ts';
import { addTotals } from './totals.ts';
import { refuseTaken } from './unique_conflicts.ts';

export interface Plan {
  readonly restored: ReadonlyMap<Kind, ReadonlyMap<number, RestoredValues>>;
  readonly removed: ReadonlyMap<Kind, ReadonlySet<number>>;
  /** Records that come back. */
  readonly revived: ReadonlyMap<Kind, ReadonlyMap<number, Row>>;
  readonly conflicts: readonly Conflict[];
  /** What cannot come back because others, that were to, cannot. */
  readonly orphans: readonly Conflict[];
  /** How deals stand in their stages, and stages in their pipelines. */
  readonly deals: Lists;
  readonly stages: Lists;
  /** Deals whose order among the others is another one. */
  readonly moved: ReadonlySet<number>;
}

/**
 * @param reversals for each record of the chosen entries
 * @param contents what is there of these, and around them
 * @param portions the work of the call
 */
export async function planReversal(
  reversals: readonly RecordReversal[],
  contents: Contents,
  portions: Portions,
): Promise<Plan> {
  const draft = await draftOf(await byKind(reversals, portions), contents, portions);
  const returns = await returnsOf(draft, 'deal', 'stage_id', portions);
  const deals = await returned(withRevived(draft, 'stage', contents.deals), returns, portions);
  const stagesBack = await returnsOf(draft, 'stage', 'pipeline_id', portions);
  const pipelines = withRevived(draft, 'pipeline', contents.stages);
  const stages = await returned(pipelines, stagesBack, portions);
  await putInPlace(draft, 'deal', deals, portions);
  await putInPlace(draft, 'stage', stages, portions);
  await addTotals(draft, portions);
  const { restored, removed, revived, conflicts, orphans } = draft;
  return {
    ...{ restored, removed, revived, conflicts, orphans },
    deals,
    stages,
    moved: new Set(returns.map(({ id }) => id)),
  };
}

/**
 * Decides what becomes of each record. A contact that cannot come back after all, since another one keeps its
 * e-mail or phone, leaves others to be decided anew: deals that were to be its own keep the contact that they have.
 */
async function draftOf(
  reversals: Draft['reversals'],
  contents: Contents,
  portions: Portions,
): Promise<Draft> {
  const losses = new Map<number, readonly string[]>();
  for (;;) {
    const draft = new Draft(reversals, contents, losses);
    await planRevivals(draft, portions);
    const cameWith = await cameWithDeals(draft, portions);
    // What refers to others comes first: only what nobody refers to any more can go.
    for (const kind of [...kinds].reverse()) {
      const references = await referencedIds(draft, kind, portions);
      await portions.each(reversals.get(kind)?.values() ?? [], (one) =>
        decide(draft, one, references, cameWith),
      );
    }
    const lost = await refuseTaken(draft, portions);
    if (lost.size === 0) {
      moveEvents(draft);
      return draft;
    }
    for (const [id, fields] of lost) losses.set(id, fields);
  }
}

/** Lists with those of records that come back, which hold nothing yet. */
const withRevived = ({ revived }: Draft, kind: Kind, lists: Lists): Lists =>
  new Map([...lists, ...[...(revived.get(kind)?.keys() ?? [])].map((id) => [id, []] as const)]);

async function byKind(
  reversals: readonly RecordReversal[],
  portions: Portions,
): Promise<Draft['reversals']> {
  const reversalsByKind = new Map<Kind, Map<number, RecordReversal>>(
    kinds.map((kind) => [kind, new Map()]),
  );
  await portions.each(reversals, (one) => reversalsByKind.get(one.kind)?.set(one.id, one));
  return reversalsByKind;
}

/** @param references records of its kind that others will refer to */
function decide(
  draft: Draft,
  one: RecordReversal,
  references: ReadonlySet<number>,
  cameWith: CameWith,
): void {
  const { kind, id, created } = one;
  if (!draft.contents.rows.get(kind)?.has(id)) {
    // What came and went again leaves nothing to be done.
    if (!created && !one.removed) draft.refuse(kind, id, 'deleted');
    return;
  }
  if (created) {
    const reason = one.alone ? (references.has(id) ? 'held' : undefined) : 'changed';
    if (!reason) {
      draft.removed.get(kind)?.add(id);
      return;
    }
    draft.refuse(kind, id, reason);
    // A deal that stays keeps what it was given.
    for (const child of (kind === 'deal' && cameWith.get(id)) || []) {
      draft.removed.get(child.kind)?.delete(child.id);
    }
  }
  const isFixed = (field: string) => isOfDeal(draft, kind, id, field);
  for (const { fields, earliest } of one.overtaken) {
    const differs = (field: string) =>
      draft.row(kind, id)?.get(field) !== earliest.get(field) && !isFixed(field);
    const differing = fields.filter(differs);
    if (differing.length > 0) draft.refuse(kind, id, 'changed', differing);
  }
  const erased = one.erased.filter((field) => !isFixed(field));
  if (erased.length > 0) draft.refuse(kind, id, 'erased', erased);
  for (const [field, value] of one.values) {
    if (isFixed(field)) continue;
    if (isMissing(draft, kind, field, value)) draft.refuse(kind, id, 'missing', [field]);
    else draft.restore(kind, id, field, value);
  }
  const contact = kind === 'deal' && draft.restored.get(kind)?.get(id)?.after.get('contact_id');
  // They belong to the deal.
  for (const event of (contact && draft.contents.events.get(id)) || []) {
    if (contact && !draft.isRemoved('event', event)) {
      draft.restore('event', event, 'contact_id', contact);
    }
  }
  const stage = stageBefore(one);
  if (stage === undefined) return;
  if (isMissing(draft, kind, 'stage_id', stage)) {
    draft.stuck.add(id);
    draft.refuse(kind, id, 'missing', ['stage_id']);
  } else draft.restore(kind, id, 'stage_id', stage);
}

/** Whether a field follows from a deal: the contact of its events. */
const isOfDeal = (draft: Draft, kind: Kind, id: number, field: string): boolean =>
  kind === 'event' && field === 'contact_id' && draft.row(kind, id)?.get('deal_id') !== 'null';

/** Records of a kind that one which stays will refer to, once it is decided of all that do. */
async function referencedIds(
  draft: Draft,
  kind: Kind,
  portions: Portions,
): Promise<ReadonlySet<number>> {
  const references = new Set<number>();
  for (const { by, column } of referringTo(kind)) {
    for (const id of draft.contents.references.get(`${by} ${column}`) ?? []) references.add(id);
    await portions.each(draft.contents.rows.get(by)?.keys() ?? [], (id) => {
      const named = draft.isRemoved(by, id) ? undefined : draft.value(by, id, column);
      if (named !== undefined) references.add(Number(named));
    });
    await portions.each(draft.revived.get(by)?.values() ?? [], (row) => {
      references.add(Number(row.get(column)));
    });
  }
  return references;
}

/** Whether a value names a record that is not there. */
function isMissing(draft: Draft, kind: Kind, field: string, value: string): boolean {
  const reference = referencesOf(kind).find(({ column }) => column === field);
  if (!reference || value === 'null') return false;
  if (draft.contents.known.get(reference.to)?.has(Number(value))) return false;
  const other = kindOf(reference.to);
  return !other || !draft.isRevived(other, Number(value));
}

/** What the service itself gave deals at their creation, by deal: assignees, and events of that. */
async function cameWithDeals(draft: Draft, portions: Portions): Promise<CameWith> {
  const children = new Map<number, { kind: Kind; id: number }[]>();
  const written = new Set(writable.map((kind) => JSON.stringify(kind)));
  const deals = draft.reversals.get('deal');
  for (const kind of ['deal_assignee', 'event'] as const) {
    await portions.each(draft.contents.rows.get(kind) ?? [], ([id, row]) => {
      if (written.has(row.get('kind') ?? '')) return;
      const deal = Number(row.get('deal_id'));
      const request = deals?.get(deal)?.created?.request;
      if (draft.reversals.get(kind)?.get(id)?.created?.request !== request) return;
      const alike = children.get(deal);
      if (alike) alike.push({ kind, id });
      else children.set(deal, [{ kind, id }]);
    });
  }
  return children;
}

type CameWith = ReadonlyMap<number, readonly { readonly kind: Kind; readonly id: number }[]>;

/** The moves and creations that are taken back, of deals or of stages. */
async function returnsOf(
  draft: Draft,
  kind: 'deal' | 'stage',
  list: string,
  portions: Portions,
): Promise<readonly Return[]> {
  const returns: Return[] = [];
  await portions.each(draft.reversals.get(kind) ?? [], ([id, { created, removed, steps }]) => {
    if (!draft.row(kind, id) || isStuck(draft, kind, id)) return;
    if (removed && draft.isRevived(kind, id)) {
      const { entry, before, remains } = removed;
      const to = { list: numberIn(before, list), position: numberIn(before, 'position') };
      returns.push({ entry, id, to, neighbours: remains?.neighbours, isBack: true });
    }
    for (const { entry, before } of steps) {
      returns.push({
        entry,
        id,
        to: { list: numberIn(before, list), position: numberIn(before, 'position') },
      });
    }
    if (created && draft.isRemoved(kind, id)) returns.push({ entry: created.id, id });
  });
  return returns;
}

const isStuck = (draft: Draft, kind: 'deal' | 'stage', id: number): boolean =>
  kind === 'deal' && draft.stuck.has(id);

function numberIn(row: Row, field: string): number | undefined {
  const text = row.get(field);
  return text === undefined ? undefined : Number(text);
}

/**
 * Gives the moved records their places; those around them shift by themselves, and are not part of
 * the plan.
 */
async function putInPlace(
  draft: Draft,
  kind: 'deal' | 'stage',
  lists: Lists,
  portions: Portions,
): Promise<void> {
  for (const [list, members] of lists) {
    await portions.each(members.entries(), ([at, id]) => {
      const isMoved = draft.reversals.get(kind)?.get(id)?.steps.length && !isStuck(draft, kind, id);
      if (!isMoved && !draft.isRevived(kind, id)) return;
      draft.restore(kind, id, 'position', String(at + 1));
      const pipeline = kind === 'deal' && pipelineOf(draft, list);
      if (pipeline) draft.restore(kind, id, 'pipeline_id', pipeline);
    });
  }
}
