import { useEffect, useId, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { IconButton } from '../../components/button.tsx';
import { Money } from '../../records/money.tsx';
import { formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Card } from './card.tsx';
import { dropOnColumn } from './drag.ts';
import type { Column } from './move.ts';
import type { Plans } from './use_plans.ts';

interface Props {
  readonly column: Column;
  /** How many of its cards are drawn by now. */
  readonly drawn: number;
  readonly grabbedId: number | undefined;
  readonly plans: Plans;
  readonly onTap: (dealId: number) => void;
  readonly onKey: (event: KeyboardEvent, dealId: number) => void;
  /** Creates a deal in the stage. */
  readonly create: (stageId: number) => void;
  /** Leads to all deals of the stage. */
  readonly moreHref: string;
}

/** A stage with its deals. */
export function BoardColumn(props: Props) {
  const { board } = words.value;
  const { column, drawn, grabbedId, plans, onTap, onKey, create, moreHref } = props;
  const { stage, count, sum_in_cents, deals } = column;
  const id = useId();
  const element = useRef<HTMLElement>(null);
  useEffect(
    () => (element.current ? dropOnColumn(element.current, stage.id) : undefined),
    [stage.id],
  );
  const rest = count - deals.length;
  return (
    <section ref={element} class="board-column" aria-labelledby={id}>
      <header>
        <h2 id={id}>{stage.name}</h2>
        <span class="badge">{formatNumber(count)}</span>
        <Money cents={sum_in_cents} />
        <IconButton
          icon="add"
          label={board.createIn(stage.name)}
          onClick={() => create(stage.id)}
        />
      </header>
      <ol aria-labelledby={id} data-place={`stage-${stage.id}`}>
        {deals.slice(0, drawn).map((deal) => (
          <Card
            key={deal.id}
            deal={deal}
            isGrabbed={deal.id === grabbedId}
            plan={plans?.(deal.id)}
            restsAfterDays={stage.rests_after_days}
            onTap={onTap}
            onKey={onKey}
          />
        ))}
        {rest > 0 && drawn >= deals.length && (
          <li class="board-more">
            <Link href={moreHref}>{board.more(formatNumber(rest))}</Link>
          </li>
        )}
      </ol>
    </section>
  );
}
