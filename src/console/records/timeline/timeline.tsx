import { useState } from 'preact/hooks';
import { useLoad } from '../../api/use_load.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Paging } from '../../components/paging.tsx';
import { tell } from '../../components/toast.tsx';
import { words } from '../../words/words.ts';
import { Entry } from './entry.tsx';
import { EventForm } from './event_form.tsx';
import { readTimeline, type Subject, writeEvent } from './subject.ts';

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
  const { shell, timeline } = words.value;
  const [page, setPage] = useState(1);
  const [writing, write] = useState<'note' | 'activity'>();
  const answer = useLoad(
    () => readTimeline(subject, page),
    JSON.stringify([subject, page, version]),
  );
  return (
    <section class="card timeline">
      <header>
        <h2>{timeline.title}</h2>
        <Button icon="add" onClick={() => write('note')}>
          {timeline.note}
        </Button>
        <Button icon="add" onClick={() => write('activity')}>
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
            await answer.reload();
          }}
          onClose={() => write(undefined)}
        />
      )}
      <Answer of={answer}>
        {({ data, pagination }) => (
          <>
            {data.length === 0 && <p class="soft">{timeline.none}</p>}
            <ol>
              {data.map((event) => (
                <Entry key={event.id} event={event} subject={subject} reload={answer.reload} />
              ))}
            </ol>
            <Paging pagination={pagination} onPage={setPage} />
          </>
        )}
      </Answer>
    </section>
  );
}
