/** Marks activities done, and offers to plan what comes next with their deal or contact. */
import { attempt, tell } from '../../components/toast.tsx';
import { words } from '../../words/words.ts';
import { contactName } from '../contact_name.ts';
import { offerNextStep } from './next_step.tsx';
import { changeActivity } from './plan.ts';

interface FinishedActivity {
  readonly id: number;
  readonly title: string;
  readonly deal_id: number | null;
  readonly deal: { readonly name: string; readonly status: string } | null;
  readonly contact_id: number;
  readonly contact: Readonly<Record<'full_name' | 'email' | 'phone', string>>;
}

/** @param isDone whether it is done, or open again */
export async function finish(activity: FinishedActivity, isDone = true): Promise<void> {
  const { activities: texts, records } = words.value;
  const { id, title, deal, deal_id, contact, contact_id } = activity;
  if (!(await attempt(() => changeActivity(id, { done: isDone })))) return;
  if (!isDone) return;
  tell(texts.isDone(title || texts.untitled), () => changeActivity(id, { done: false }));
  if (!deal || deal_id === null) {
    await offerNextStep({
      subject: { kind: 'contact', id: contact_id },
      name: contactName(contact),
    });
  } else if (deal.status === 'open') {
    const name = deal.name || records.untitled;
    await offerNextStep({ subject: { kind: 'deal', id: deal_id }, name });
  }
}
