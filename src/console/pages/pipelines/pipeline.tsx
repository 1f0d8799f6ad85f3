import { useState } from 'preact/hooks';
import {
  CreateStageDocument,
  DeletePipelineDocument,
  type PipelineWithStagesFragment,
  type StageInput,
  UpdatePipelineDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { isAdmin } from '../../api/who.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { attempt } from '../../components/toast.tsx';
import { words } from '../../words/words.ts';
import { NameDialog } from './name_dialog.tsx';
import { StageDialog } from './stage_dialog.tsx';
import { Stages } from './stages.tsx';

/** One pipeline with its stages. */
export function Pipeline({
  pipeline: { id, version, name, stages },
  counts,
  onChange,
}: {
  readonly pipeline: PipelineWithStagesFragment;
  /** Deals by the id of their stage. */
  readonly counts: ReadonlyMap<number | null, number>;
  readonly onChange: () => Promise<void>;
}) {
  const { pipelines: texts } = words.value;
  const [open, setOpen] = useState<'name' | 'stage'>();
  const close = () => setOpen(undefined);
  const rename = async (wanted: string, expected?: string) => {
    await ask(UpdatePipelineDocument, { id, input: { name: wanted }, version: expected });
    await onChange();
  };
  const addStage = async (input: StageInput) => {
    await ask(CreateStageDocument, { input: { ...input, pipeline_id: id } });
    await onChange();
  };
  const remove = async () => {
    const text = texts.removeWhat(name);
    if (!(await confirm({ title: texts.remove, text, action: texts.remove }))) return;
    await attempt(() => ask(DeletePipelineDocument, { id }));
    await onChange();
  };
  return (
    <section class="card" aria-label={name}>
      <header class="card-header">
        <h2>{name}</h2>
        {isAdmin.value && (
          <>
            <IconButton icon="edit" label={texts.rename(name)} onClick={() => setOpen('name')} />
            <IconButton icon="remove" label={texts.removeOne(name)} onClick={remove} />
          </>
        )}
      </header>
      {stages.length === 0 && <p class="soft">{texts.noStages}</p>}
      <Stages pipelineId={id} stages={stages} counts={counts} onChange={onChange} />
      {isAdmin.value && (
        <Button icon="add" kind="quiet" onClick={() => setOpen('stage')}>
          {texts.addStage}
        </Button>
      )}
      {open === 'name' && (
        <NameDialog
          title={texts.rename(name)}
          of={{ name, version, reload: onChange }}
          save={rename}
          onClose={close}
        />
      )}
      {open === 'stage' && <StageDialog title={texts.addStage} save={addStage} onClose={close} />}
    </section>
  );
}
