import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLoad } from '../../api/use_load.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Paging } from '../../components/paging.tsx';
import { tell } from '../../components/toast.tsx';
import { words } from '../../words/words.ts';
import { NextStepOffer } from '../activities/next_step.tsx';
import { activityChanges, noteActivityChange } from '../activities/plan.ts';
import { Entry } from './entry.tsx';
import { EventForm } from './event_form.tsx';
import { readTimeline, type Subject, writeEvent } from './subject.ts';

/** What is being written at the head of the timeline. */
const written = signal<'note' | 'activity' | undefined>(undefined);

/** Opens the form of a note or an activity, from wherever on the page. */
export const write = (kind: 'note' | 'activity'): void => {
  written.value = kind;
};

/** The way to a note from the head of a page whose timeline is far below, as on a phone. */
export const NoteButton = () => (
  <span class="narrow-only">
    <Button icon="add" onClick={() => write('note')}>
      {words.value.timeline.note}
    </Button>
  </span>
);

/**
 * What happened with a contact or a deal, and what is to happen.
 * @param version changes whenever the record did, which its history then tells
 */
export function Timeline({
  subject,
  version,
}: {
  readonly subject: Subject;
  readonly version: string;
}) {
  const { activities, shell, timeline } = words.value;
  const [page, setPage] = useState(1);
  const writing = written.value;
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    written.value = undefined;
  }, []);
  const close = () => {
    const button = section.current?.querySelector<HTMLElement>(`[data-write="${writing}"]`);
    written.value = undefined;
    // Where it was opened, the next key finds it again.
    button?.focus();
  };
  const answer = useLoad(
    () => readTimeline(subject, page),
    JSON.stringify([subject, page, version, activityChanges.value]),
  );
  return (
    <section ref={section} class="card timeline">
      <header>
        <h2>{timeline.title}</h2>
        <Button data-write="note" icon="add" onClick={() => write('note')}>
          {timeline.note}
        </Button>
        <Button data-write="activity" icon="add" onClick={() => write('activity')}>
          {timeline.activity}
        </Button>
      </header>
      {writing && (
        <EventForm
          key={writing}
          kind={writing}
          save={async (input) => {
            await writeEvent(subject, { kind: writing, ...input });
            tell(shell.saved);
            if (writing === 'activity') noteActivityChange();
            else await answer.reload();
          }}
          onClose={close}
        />
      )}
      <Answer of={answer}>
        {({ planned, data, pagination }) => (
          <>
            {planned.length > 0 && (
              <section class="planned" aria-label={activities.planned}>
                <h3>{activities.planned}</h3>
                <ol>
                  {planned.map((event) => (
                    <Entry key={event.id} event={event} subject={subject} reload={answer.reload} />
                  ))}
                </ol>
              </section>
            )}
            {planned.length + data.length === 0 && <p class="soft">{timeline.none}</p>}
            <ol>
              {data.map((event) => (
                <Entry key={event.id} event={event} subject={subject} reload={answer.reload} />
              ))}
            </ol>
            <Paging pagination={pagination} onPage={setPage} />
          </>
        )}
      </Answer>
      <NextStepOffer />
    </section>
  );
}
