import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { FirstPipelineDocument, FirstStageDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { attempt } from '../../components/toast.tsx';
import { AccountSteps } from '../../records/account_steps.tsx';
import { words } from '../../words/words.ts';

/**
 * What an admin does first in a new account, in order: a pipeline, which is offered, then where the account is, then
 * its people.
 * @param onCreated called once there is a pipeline
 */
export function FirstPipeline({ onCreated }: { readonly onCreated: () => Promise<void> }) {
  const { board } = words.value;
  const [isBusy, setBusy] = useState(false);
  const { name, stages } = board.first;
  const create = async () => {
    setBusy(true);
    await attempt(async () => {
      const { create_pipeline } = await ask(FirstPipelineDocument, { input: { name } });
      for (const stage of stages.split(', ')) {
        await ask(FirstStageDocument, {
          input: { pipeline_id: create_pipeline.id, name: stage },
        });
      }
    });
    setBusy(false);
    await onCreated();
  };
  return (
    <Empty
      title={board.noPipeline}
      action={
        <ol class="first-steps">
          <li>
            <Button kind="primary" icon="add" isBusy={isBusy} onClick={create}>
              {board.createFirst(name, stages)}
            </Button>{' '}
            <Link href="/pipelines">{board.createPipeline}</Link>
          </li>
          <AccountSteps />
        </ol>
      }
    >
      {board.whyPipeline}
    </Empty>
  );
}
