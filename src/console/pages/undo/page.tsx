import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { RevertChangesDocument, type UndoneFragment } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { attempt } from '../../components/toast.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { words } from '../../words/words.ts';
import { ChoiceFields, inputOf, isNamed, none } from './choice.tsx';
import { Outcome } from './outcome.tsx';

/** What the service answered, of which choice, and whether it was done. */
interface UndoAnswer {
  readonly key: string;
  readonly outcome: UndoneFragment;
  readonly isDone: boolean;
}

/** Takes back what an import or a program did; it is shown before it is done. */
export function UndoPage() {
  const { undo: texts } = words.value;
  const [choice, change] = useFilters(none);
  const [answered, setAnswered] = useState<UndoAnswer>();
  const [isBusy, setBusy] = useState(false);
  const key = JSON.stringify(choice);
  const shown = answered?.key === key ? answered : undefined;
  const revert = async (isDone: boolean) => {
    setBusy(true);
    await attempt(async () => {
      const { revert_changes } = await ask(RevertChangesDocument, {
        input: inputOf(choice, !isDone),
      });
      setAnswered({ key, outcome: revert_changes, isDone });
    });
    setBusy(false);
  };
  const revertForGood = async (count: number) => {
    const question = { title: texts.title, text: texts.what(count), action: texts.act };
    if (await confirm(question)) await revert(true);
  };
  return (
    <>
      <PageHeader title={texts.title} about={texts.about} />
      <section class="card form">
        <ChoiceFields choice={choice} change={change} />
        <div class="form-end">
          <Button
            {...(shown && !shown.isDone ? {} : { kind: 'primary' as const })}
            isBusy={isBusy}
            disabled={!isNamed(choice)}
            onClick={() => revert(false)}
          >
            {texts.preview}
          </Button>
          {!isNamed(choice) && <span class="soft">{texts.name}</span>}
        </div>
      </section>
      <div aria-live="polite">
        {shown && <Summary {...shown} />}
        {shown && !shown.isDone && shown.outcome.reverted > 0 && (
          <div class="form-end part">
            <Button
              kind="danger"
              isBusy={isBusy}
              onClick={() => revertForGood(shown.outcome.reverted)}
            >
              {texts.act}
            </Button>
          </div>
        )}
      </div>
      {shown && <Outcome outcome={shown.outcome} isDone={shown.isDone} />}
    </>
  );
}

function Summary({ outcome: { reverted, conflicts_count, request_id }, isDone }: UndoAnswer) {
  const { undo: texts } = words.value;
  if (!isDone) {
    const text = reverted === 0 ? texts.nothing : texts.would(reverted, conflicts_count);
    return <p class="notice part">{text}</p>;
  }
  return (
    <p class="notice good part">
      {texts.done(reverted)}{' '}
      <Link href={`/audit?request=${encodeURIComponent(request_id)}`}>{texts.log}</Link>{' '}
      <Link href={`/audit/undo?request=${encodeURIComponent(request_id)}`}>{texts.again}</Link>
    </p>
  );
}
