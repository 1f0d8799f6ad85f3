/** Values that no two contacts may have, and pairs that no two assignments may. */
import type { Draft } from './plan.ts';

/** Leaves as they are e-mails and phones that somebody else has by now, and assignments that are there. */
export function refuseTaken(draft: Draft): void {
  for (const field of ['email', 'phone'] as const) refuseHeld(draft, field);
  for (const [id] of draft.restored.get('deal_assignee') ?? []) {
    const pair = `${draft.value('deal_assignee', id, 'deal_id')} ${draft.value('deal_assignee', id, 'user_id')}`;
    const holder = draft.contents.assigned.get(pair);
    if (holder === undefined || holder === id) continue;
    draft.keep('deal_assignee', id, 'user_id');
    draft.refuse('deal_assignee', id, 'taken', ['user_id']);
  }
}

/**
 * A record that keeps its value after all may have one that another is to get, so this repeats
 * until none does.
 */
function refuseHeld(draft: Draft, field: 'email' | 'phone'): void {
  const restored = draft.restored.get('contact') ?? new Map();
  for (let isSettled = false; !isSettled; ) {
    isSettled = true;
    const holders = new Map<string, number>();
    for (const id of draft.contents.contacts.keys()) {
      const value = draft.isRemoved('contact', id) ? undefined : finalOf(draft, id, field);
      if (value !== undefined && !restored.get(id)?.after.has(field)) holders.set(value, id);
    }
    for (const [id, { after }] of restored) {
      const value = after.get(field);
      if (value === undefined || value === '""') continue;
      if (holders.has(value)) {
        draft.keep('contact', id, field);
        draft.refuse('contact', id, 'taken', [field]);
        isSettled = false;
        break;
      }
      holders.set(value, id);
    }
  }
}

const finalOf = (draft: Draft, id: number, field: 'email' | 'phone'): string | undefined =>
  draft.value('contact', id, field) ?? draft.contents.contacts.get(id)?.[field];
