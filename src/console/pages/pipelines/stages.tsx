import { useEffect, useState } from 'preact/hooks';
import {
  type PipelineWithStagesFragment,
  UpdateStageDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { attempt, tell } from '../../components/toast.tsx';
import { words } from '../../words/words.ts';
import { type Place, placeAfter } from './place.ts';
import { StageRow } from './stage.tsx';

type Stage = PipelineWithStagesFragment['stages'][number];

/** The stages of a pipeline in order, to be put into another. */
export function Stages({
  pipelineId,
  stages,
  counts,
  onChange,
}: {
  readonly pipelineId: number;
  readonly stages: readonly Stage[];
  readonly counts: ReadonlyMap<number | null, number>;
  readonly onChange: () => Promise<void>;
}) {
  const { pipelines: texts } = words.value;
  // Shown as they were put, while the service is told.
  const [shown, setShown] = useState(stages);
  useEffect(() => setShown(stages), [stages]);
  const put = async (id: number, index: number) => {
    await ask(UpdateStageDocument, { id, input: { position: index + 1 } });
    await onChange();
  };
  const move = async (id: number, place: Place) => {
    const from = shown.findIndex((stage) => stage.id === id);
    const stage = shown[from];
    const to = placeAfter(shown, id, place);
    if (!stage || to === undefined || to === from) return;
    const others = shown.filter((other) => other !== stage);
    setShown(others.toSpliced(to, 0, stage));
    if (await attempt(() => put(id, to)))
      tell(texts.moved(stage.name, to + 1), () => put(id, from));
    else setShown(stages);
  };
  return (
    <ol class="stages">
      {shown.map((stage) => (
        <StageRow
          key={stage.id}
          list={`stages of ${pipelineId}`}
          pipelineId={pipelineId}
          stage={stage}
          count={counts.get(stage.id) ?? 0}
          move={move}
          onChange={onChange}
        />
      ))}
    </ol>
  );
}
