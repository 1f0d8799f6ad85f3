import type { EventInput } from '../../../generated/console.ts';
import { Button } from '../../components/button.tsx';
import { TextArea, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { mayLeave } from '../../components/unsaved_input.ts';
import { useForm } from '../../components/use_form.ts';
import { clockAt, momentOf } from '../../words/days.ts';
import { timeZone } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { tomorrow } from '../activities/plan.ts';
import type { Happening } from './subject.ts';

/** Writes a note or an activity, or edits one. */
export function EventForm({
  kind,
  edited,
  save,
  onClose,
}: {
  readonly kind: 'note' | 'activity';
  /** What is there already, and what reads it again. */
  readonly edited?: { readonly event: Happening; readonly reload: () => Promise<void> };
  readonly save: (input: EventInput, version?: string) => Promise<void>;
  readonly onClose: () => void;
}) {
  const { shell, timeline } = words.value;
  const event = edited?.event;
  // What is planned anew is to be done tomorrow, unless something else is said.
  const initial = event ? event.scheduled_at : tomorrow();
  const values = {
    title: event?.title ?? '',
    content: event?.content ?? '',
    scheduled_at: initial ? clockAt(Date.parse(initial), timeZone.value) : '',
  };
  const form = useForm(
    values,
    async ({ title, content, scheduled_at }, _, version) => {
      const when = scheduled_at === '' ? null : momentOf(scheduled_at, timeZone.value);
      await save(kind === 'note' ? { content } : { title, content, scheduled_at: when }, version);
      onClose();
    },
    edited && { version: edited.event.version, reload: edited.reload },
  );
  const close = async () => {
    if (!form.isChanged || (await mayLeave())) onClose();
  };
  return (
    <Form
      form={form}
      action={shell.save}
      more={<Button onClick={close}>{shell.cancel}</Button>}
      onEscape={() => void close()}
    >
      {kind === 'activity' && (
        <div class="columns">
          <TextField {...form.field('title')} label={timeline.what} autoFocus />
          <TextField {...form.field('scheduled_at')} label={timeline.when} type="datetime-local" />
        </div>
      )}
      <TextArea
        {...form.field('content')}
        label={kind === 'note' ? timeline.note : timeline.details}
        rows={3}
        autoFocus={kind === 'note'}
      />
    </Form>
  );
}
