import { useState } from 'preact/hooks';
import {
  CreateStageDocument,
  DeleteStageDocument,
  type PipelineWithStagesFragment,
  type StageInput,
  UpdateStageDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { isAdmin } from '../../api/who.ts';
import { IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { attempt, tell } from '../../components/toast.tsx';
import { useSortable } from '../../components/use_sortable.ts';
import { words } from '../../words/words.ts';
import type { Place } from './place.ts';
import { StageDialog } from './stage_dialog.tsx';

interface Props {
  readonly list: string;
  readonly stage: PipelineWithStagesFragment['stages'][number];
  readonly pipelineId: number;
  /** Its deals. */
  readonly count: number;
  readonly move: (id: number, place: Place) => Promise<void>;
  readonly onChange: () => Promise<void>;
}

/** One stage: dragged by its handle, which arrow keys move too. */
export function StageRow({ list, stage, pipelineId, count, move, onChange }: Props) {
  const { id, version, name, position, rests_after_days } = stage;
  const { pipelines: texts } = words.value;
  const [isEditing, setEditing] = useState(false);
  const { item, handle, edge, isDragged } = useSortable(list, id, !isAdmin.value, (dropped, at) =>
    move(dropped, { of: id, edge: at }),
  );
  const save = async (input: StageInput, expected?: string) => {
    await ask(UpdateStageDocument, { id, input, version: expected });
    await onChange();
  };
  const restore = async () => {
    const input = { name, pipeline_id: pipelineId, position, rests_after_days };
    await ask(CreateStageDocument, { input });
    await onChange();
  };
  const remove = async () => {
    if (await attempt(() => ask(DeleteStageDocument, { id }))) tell(texts.removed(name), restore);
    await onChange();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const place = event.key === 'ArrowUp' ? 'up' : event.key === 'ArrowDown' ? 'down' : undefined;
    if (!place) return;
    event.preventDefault();
    void move(id, place);
    // What is put elsewhere in the page loses the focus.
    requestAnimationFrame(() => handle.current?.focus());
  };
  return (
    <li ref={item} class={`stage ${isDragged ? 'dragged' : ''} ${edge ?? ''}`}>
      {isAdmin.value && (
        <button
          ref={handle}
          type="button"
          class="handle"
          aria-label={texts.move(name)}
          title={texts.moveHow}
          onKeyDown={onKeyDown}
        >
          <Icon name="drag" />
        </button>
      )}
      <p>
        <span>{name}</span>
        <small>
          {texts.deals(count)}
          {rests_after_days !== null && ` · ${texts.rests(rests_after_days)}`}
        </small>
      </p>
      {isAdmin.value && (
        <>
          <IconButton icon="edit" label={texts.edit(name)} onClick={() => setEditing(true)} />
          <IconButton icon="remove" label={texts.removeOne(name)} onClick={remove} />
        </>
      )}
      {isEditing && (
        <StageDialog
          title={texts.edit(name)}
          of={{ name, rests_after_days, version, reload: onChange }}
          save={save}
          onClose={() => setEditing(false)}
        />
      )}
    </li>
  );
}
