/** Removed records that come back, as a plan. Nothing here knows the database. */
import type { Portions } from '../../lib/portions.ts';
import type { Draft } from './draft.ts';
import { type Kind, kindOf, kinds, referencesOf } from './kinds.ts';
import { type RecordReversal, type Row, stageBefore } from './runs.ts';

/**
 * Plans for each removal that is to be taken back that the record comes back as it was, with what else is
 * taken back of it; those that others refer to first. What refers to a record that is not there cannot come.
 */
export async function planRevivals(draft: Draft, portions: Portions): Promise<void> {
  for (const kind of kinds) {
    await portions.each(draft.reversals.get(kind)?.values() ?? [], (one) =>
      planRevival(draft, one),
    );
  }
}

function planRevival(draft: Draft, one: RecordReversal): void {
  const { kind, id, removed } = one;
  if (!removed || draft.row(kind, id)) return;
  const moments = removed.remains?.moments ?? draft.contents.moments.get(`${kind} ${id}`);
  if (removed.isErased || !moments) {
    draft.refuse(kind, id, 'erased');
    return;
  }
  const row = new Map(removed.before);
  for (const [field, value] of one.values) row.set(field, value);
  for (const [field, value] of moments) row.set(field, value);
  const stage = stageBefore(one);
  if (stage !== undefined) row.set('stage_id', stage);
  const pipeline = kind === 'deal' && pipelineOf(draft, Number(row.get('stage_id')));
  if (pipeline) row.set('pipeline_id', pipeline);
  if (kind === 'event') row.set('contact_id', contactOf(draft, row));
  const losses = kind === 'contact' && draft.losses.get(id);
  if (losses) draft.refuse(kind, id, 'taken', losses);
  else if (isComplete(draft, kind, id, row)) draft.revived.get(kind)?.set(id, row);
  for (const { fields, earliest } of one.overtaken) {
    const differing = fields.filter((field) => row.get(field) !== earliest.get(field));
    if (differing.length > 0) draft.refuse(kind, id, 'changed', differing);
  }
  if (one.erased.length > 0) draft.refuse(kind, id, 'erased', one.erased);
}

/** The pipeline of a stage that is there or comes back. */
export function pipelineOf({ contents, revived }: Draft, stage: number): string | undefined {
  const known = contents.pipelines.get(stage);
  return known === undefined ? revived.get('stage')?.get(stage)?.get('pipeline_id') : String(known);
}

/** Events belong to their deal, which may have another contact by now. */
const contactOf = (draft: Draft, row: Row): string =>
  draft.value('deal', Number(row.get('deal_id')), 'contact_id') ?? row.get('contact_id') ?? 'null';

/** Whether all is there, or comes back, that a record refers to; what is not is told. */
function isComplete(draft: Draft, kind: Kind, id: number, row: Row): boolean {
  const missing = referencesOf(kind).filter(({ column, to }) => {
    const value = row.get(column) ?? 'null';
    if (value === 'null' || draft.contents.known.get(to)?.has(Number(value))) return false;
    const other = kindOf(to);
    return !other || !draft.isRevived(other, Number(value));
  });
  if (missing.length === 0) return true;
  const lacking = missing.filter(({ column, to }) => {
    const other = kindOf(to);
    // The contact of an event is that of its deal.
    if (column === 'contact_id' && missing.some((one) => one.column === 'deal_id')) return false;
    return !other || !draft.reversals.get(other)?.has(Number(row.get(column)));
  });
  const fields = (lacking.length > 0 ? lacking : missing).map(({ column }) => column);
  (lacking.length > 0 ? draft.conflicts : draft.orphans).push({
    kind,
    id,
    fields,
    reason: 'missing',
  });
  return false;
}

/** Gives events that come back the contact that their deals have then. */
export function moveEvents(draft: Draft): void {
  for (const row of draft.revived.get('event')?.values() ?? [])
    row.set('contact_id', contactOf(draft, row));
}
