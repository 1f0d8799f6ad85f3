import { signal } from '@preact/signals';
import { blank } from '../../api/refusal.ts';
import { TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { clockAt, momentOf } from '../../words/days.ts';
import { timeZone } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { type Subject, writeEvent } from '../timeline/subject.ts';
import { hasPlans, noteActivityChange, tomorrow } from './plan.ts';

/** A record with which something is to go on. */
export interface NextStepSubject {
  readonly subject: Subject;
  readonly name: string;
}

const offered = signal<NextStepSubject | undefined>(undefined);

/** Offers to plan what comes next, where nothing is planned yet. */
export async function offerNextStep(named: NextStepSubject): Promise<void> {
  // Who cannot be asked now is offered nothing: what was done is done.
  const isPlanned = await hasPlans(named.subject).catch(() => true);
  if (!isPlanned) offered.value = named;
}

/** Opens the form for an activity of a record. */
export const planStep = (named: NextStepSubject): void => {
  offered.value = named;
};

/** Where the offer appears; once on a page that makes one. */
export function NextStepOffer() {
  return offered.value ? (
    <NextStep named={offered.value} onClose={() => (offered.value = undefined)} />
  ) : null;
}

function NextStep({
  named,
  onClose,
}: {
  readonly named: NextStepSubject;
  readonly onClose: () => void;
}) {
  const { activities, shell, timeline } = words.value;
  const initial = { title: '', scheduled_at: clockAt(Date.parse(tomorrow()), timeZone.value) };
  const form = useForm(initial, async ({ title, scheduled_at }) => {
    // A slip of Enter plans nothing.
    if (title.trim() === '') throw blank('title');
    const when = scheduled_at === '' ? null : momentOf(scheduled_at, timeZone.value);
    await writeEvent(named.subject, { kind: 'activity', title, scheduled_at: when });
    noteActivityChange();
    tell(shell.saved);
    onClose();
  });
  return (
    <FormDialog
      title={activities.whatNext(named.name)}
      form={form}
      action={activities.plan}
      onClose={onClose}
    >
      <TextField {...form.field('title')} label={timeline.what} autoFocus />
      <TextField {...form.field('scheduled_at')} label={timeline.when} type="datetime-local" />
    </FormDialog>
  );
}
