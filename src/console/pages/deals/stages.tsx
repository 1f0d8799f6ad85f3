import { useEffect, useRef } from 'preact/hooks';
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
  const path = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another stage is to be in sight
  useEffect(() => {
    const current = path.current?.querySelector<HTMLElement>('[aria-current]');
    if (path.current && current) {
      path.current.scrollLeft =
        current.offsetLeft - (path.current.clientWidth - current.offsetWidth) / 2;
    }
  }, [stage_id]);
  return (
    <nav ref={path} class="stage-path" aria-label={pipeline.name}>
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
