import { words } from '../../words/words.ts';
import type { Work } from './use_deal.ts';

/** Where the deal stands in its pipeline, and the way to the other stages. */
export function Stages({ deal, act, update }: Work) {
  const { board, records } = words.value;
  const { name, stage_id, position, pipeline } = deal;
  const move = (stage: { readonly id: number; readonly name: string }) =>
    act(
      () => update({ stage_id: stage.id }),
      board.moved(name || records.untitled, stage.name),
      () => update({ stage_id, position }),
    );
  return (
    <nav class="stage-path" aria-label={pipeline.name}>
      <ol>
        {pipeline.stages.map((stage) => (
          <li key={stage.id}>
            <button
              type="button"
              aria-current={stage.id === stage_id ? 'step' : undefined}
              disabled={stage.id === stage_id}
              onClick={() => move(stage)}
            >
              {stage.name}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
