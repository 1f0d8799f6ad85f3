import { useState } from 'preact/hooks';
import { CreatePipelineDocument, PipelinesDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { isAdmin } from '../../api/who.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { words } from '../../words/words.ts';
import { NameDialog } from './name_dialog.tsx';
import { Pipeline } from './pipeline.tsx';

/** The ways in which the account sells, and the stages of each. */
export function PipelinesPage() {
  const { pipelines: texts } = words.value;
  const answer = useAnswer(PipelinesDocument, {});
  const [isAdding, setAdding] = useState(false);
  const add = async (name: string) => {
    await ask(CreatePipelineDocument, { input: { name } });
    await answer.reload();
  };
  const adding = isAdmin.value && (
    <Button kind="primary" icon="add" onClick={() => setAdding(true)}>
      {texts.add}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.title} about={texts.about}>
        {adding}
      </PageHeader>
      <Answer of={answer}>
        {({ all_pipelines: { data }, deals_summary }) => {
          const counts = new Map(deals_summary.map(({ stage_id, count }) => [stage_id, count]));
          if (data.length === 0) {
            return (
              <Empty title={texts.none} action={adding}>
                {texts.whatFor}
              </Empty>
            );
          }
          return data.map((pipeline) => (
            <Pipeline
              key={pipeline.id}
              pipeline={pipeline}
              counts={counts}
              onChange={answer.reload}
            />
          ));
        }}
      </Answer>
      {isAdding && <NameDialog title={texts.add} save={add} onClose={() => setAdding(false)} />}
    </>
  );
}
