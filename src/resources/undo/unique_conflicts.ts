/** Values that no two contacts may have, and pairs that no two assignments may. */

import type { Portions } from '../../lib/portions.ts';
import { isUnique } from '../contacts/identity.ts';
import type { Draft } from './draft.ts';
import type { Row } from './runs.ts';

/**
 * Leaves as they are e-mails and phones that somebody else has by now, and assignments that are there.
 * @returns contacts that cannot come back for that, with the fields; if there are any, no more is decided
 */
export async function refuseTaken(
  draft: Draft,
  portions: Portions,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const lost = new Map<number, string[]>();
  for (const field of uniqueFields) await refuseHeld(draft, field, lost, portions);
  if (lost.size > 0) return lost;
  await leaveForLater(draft, portions);
  refuseAssigned(draft);
  return lost;
}

/** Of two assignments of one person to one deal that are both to come back, the one that went last does. */
function refuseAssigned(draft: Draft): void {
  const { assigned } = draft.contents;
  const coming = new Map<string, number>();
  for (const [id] of draft.restored.get('deal_assignee') ?? []) {
    const pair = `${draft.value('deal_assignee', id, 'deal_id')} ${draft.value('deal_assignee', id, 'user_id')}`;
    const holder = assigned.get(pair) ?? coming.get(pair) ?? id;
    if (holder === id) {
      coming.set(pair, id);
      continue;
    }
    draft.keep('deal_assignee', id, 'user_id');
    draft.refuse('deal_assignee', id, 'taken', ['user_id']);
  }
  const revived = draft.revived.get('deal_assignee') ?? new Map<number, Row>();
  const pairOf = (row: Row) => `${row.get('deal_id')} ${row.get('user_id')}`;
  for (const [id, row] of [...revived].reverse()) {
    const pair = pairOf(row);
    const holder = assigned.get(pair);
    const isHeld = holder !== undefined && !draft.isRemoved('deal_assignee', holder);
    if (!isHeld && !coming.has(pair)) coming.set(pair, id);
  }
  for (const [id, row] of [...revived]) {
    if (coming.get(pairOf(row)) === id) continue;
    revived.delete(id);
    draft.refuse('deal_assignee', id, 'taken', ['user_id']);
  }
}

const uniqueFields = ['email', 'phone'] as const;

/** A contact comes back without what another one still has at that moment, and gets it at the end. */
async function leaveForLater(draft: Draft, portions: Portions): Promise<void> {
  const { contacts } = draft.contents;
  for (const field of uniqueFields) {
    const present = new Set([...contacts.values()].map((holder) => holder[field]));
    await portions.each(draft.revived.get('contact') ?? [], ([id, row]) => {
      const value = row.get(field);
      if (value === undefined || value === '""' || !present.has(value)) return;
      row.set(field, '""');
      draft.change('contact', id, field, '""', value);
    });
  }
}

/**
 * Leaves values as they are that another contact has, or is to get, and tells of it in the order of the records.
 * @param lost receives the fields in which contacts that are to come back would have such values
 */
async function refuseHeld(
  draft: Draft,
  field: 'email' | 'phone',
  lost: Map<number, string[]>,
  portions: Portions,
): Promise<void> {
  const { contacts } = draft.contents;
  const restored = draft.restored.get('contact') ?? new Map();
  const present = new Set<string>();
  /** Counts the value of a contact that keeps it. */
  const hold = (id: number): string | undefined => {
    if (!contacts.has(id) || draft.isRemoved('contact', id)) return undefined;
    const value = finalOf(draft, id, field);
    if (value !== undefined) present.add(value);
    return value;
  };
  await portions.each(contacts.keys(), (id) => {
    if (!restored.get(id)?.after.has(field)) hold(id);
  });
  /** Who is to get a value, as far as they have been looked at. */
  const getting = new Map<string, number>();
  const revived = draft.revived.get('contact') ?? new Map();
  const wanting = [
    ...[...restored].map(([id, { after }]) => [id, after.get(field)] as const),
    ...[...revived].map(([id, row]) => [id, row.get(field)] as const),
  ];
  await portions.each(wanting, ([id, value]) => {
    if (value === undefined || !isUnique(field, String(JSON.parse(value)))) return;
    if (!present.has(value) && !getting.has(value)) {
      getting.set(value, id);
      return;
    }
    // A contact that keeps its value after all may have the one that another was to get, and so on.
    for (let loser: number | undefined = id; loser !== undefined; ) {
      if (revived.has(loser)) {
        lost.set(loser, [...(lost.get(loser) ?? []), field]);
        return;
      }
      draft.keep('contact', loser, field);
      draft.refuse('contact', loser, 'taken', [field]);
      const oldValue = hold(loser);
      loser = oldValue === undefined ? undefined : getting.get(oldValue);
      if (oldValue !== undefined) getting.delete(oldValue);
    }
  });
}

const finalOf = (draft: Draft, id: number, field: 'email' | 'phone'): string | undefined =>
  draft.value('contact', id, field) ?? draft.contents.contacts.get(id)?.[field];
