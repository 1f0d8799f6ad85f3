import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import {
  DeleteEventDocument,
  type EventInput,
  UpdateEventDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { IconButton } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { confirm } from '../../components/confirm.tsx';
import { LinkedText } from '../../components/linked_text.tsx';
import { attempt, tellForLong } from '../../components/toast.tsx';
import { formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { finish } from '../activities/finish.ts';
import { noteActivityChange } from '../activities/plan.ts';
import { nameOf } from '../choices.ts';
import { restore } from '../restore.ts';
import { EventForm } from './event_form.tsx';
import { sentenceOf } from './sentence.ts';
import type { Happening, Subject } from './subject.ts';

interface Props {
  readonly event: Happening;
  readonly subject: Subject;
  /** Reads the timeline again. */
  readonly reload: () => Promise<void>;
}

/** One thing that happened, or is to; what people wrote, they change here. */
export function Entry({ event, subject, reload }: Props) {
  const { timeline } = words.value;
  const [isEdited, setEdited] = useState(false);
  const { id, kind, title, content, deal, deal_id, created_at } = event;
  const save = async (input: EventInput, version?: string) => {
    await ask(UpdateEventDocument, { id, input, version });
    await reload();
    if (kind === 'activity') noteActivityChange();
  };
  if (isEdited && (kind === 'note' || kind === 'activity')) {
    return (
      <li class="happening">
        <EventForm
          kind={kind}
          edited={{ event, reload }}
          save={save}
          onClose={() => setEdited(false)}
        />
      </li>
    );
  }
  return (
    <li class="happening">
      <div class="happening-head">
        <p>{sentenceOf(event)}</p>
        {subject.kind === 'contact' && deal && (
          <Link href={`/deals/${deal_id}`}>{deal.name || words.value.records.untitled}</Link>
        )}
        <Author event={event} />
        <time dateTime={created_at}>{formatMoment(created_at)}</time>
        {(kind === 'note' || kind === 'activity') && (
          <EntryActions event={event} reload={reload} edit={() => setEdited(true)} />
        )}
      </div>
      {title && (
        <h3>
          <LinkedText text={title} />
        </h3>
      )}
      {content && (
        <p class="happening-content">
          <LinkedText text={content} />
        </p>
      )}
      {kind === 'activity' && (
        <ActivityState event={event} onDone={(done) => finish(event, done)} label={timeline.done} />
      )}
    </li>
  );
}

/** Who wrote it, or made the change that it tells of. */
function Author({ event: { created_by_id, creator } }: Pick<Props, 'event'>) {
  // Of an old event only the name is known.
  if (created_by_id === null && !creator) return null;
  return (
    <span class="happening-author">
      <bdi>{creator ? nameOf(creator) : words.value.timeline.gone}</bdi>
    </span>
  );
}

function EntryActions({
  event: { id, kind, title, content },
  reload,
  edit,
}: Pick<Props, 'event' | 'reload'> & { readonly edit: () => void }) {
  const { records, timeline } = words.value;
  const remove = async () => {
    const question = { title: timeline.remove, text: timeline.whyRemove, action: records.remove };
    if (!(await confirm(question))) return;
    if (await attempt(() => ask(DeleteEventDocument, { id }))) {
      tellForLong(timeline.removed, async () => {
        await restore('event', id);
        await reload();
      });
    }
    await reload();
    if (kind === 'activity') noteActivityChange();
  };
  const what = `${timeline.kinds[kind === 'note' ? 'note' : 'activity']}: ${(title || content).slice(0, 40)}`;
  return (
    <span class="happening-actions">
      <IconButton icon="edit" label={records.editOf(what)} onClick={edit} />
      <IconButton icon="remove" label={records.removeOf(what)} onClick={remove} />
    </span>
  );
}

function ActivityState({
  event: { id, scheduled_at, done_at },
  label,
  onDone,
}: Pick<Props, 'event'> & {
  readonly label: string;
  readonly onDone: (isDone: boolean) => void;
}) {
  const { timeline } = words.value;
  const isLate = !done_at && scheduled_at !== null && Date.parse(scheduled_at) < Date.now();
  return (
    <div class="happening-state">
      <Checkbox name={`done-${id}`} label={label} value={done_at !== null} onChange={onDone} />
      {scheduled_at && (
        <span class={isLate ? 'badge bad' : 'badge'}>
          {isLate && timeline.late} {formatMoment(scheduled_at)}
        </span>
      )}
    </div>
  );
}
