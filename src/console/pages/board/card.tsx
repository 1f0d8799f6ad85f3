import type { Ref } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Icon } from '../../components/icon.tsx';
import { ActivityDot } from '../../records/activities/dot.tsx';
import { contactName } from '../../records/contact_name.ts';
import { Money } from '../../records/money.tsx';
import { People } from '../../records/people.tsx';
import { StatusBadge } from '../../records/status.tsx';
import { formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { dragCard } from './drag.ts';
import type { BoardDeal } from './move.ts';
import type { Plan } from './use_plans.ts';

interface Props {
  readonly deal: BoardDeal;
  readonly isGrabbed: boolean;
  /** Undefined while nobody knows. */
  readonly plan: Plan | undefined;
  /** Days in its stage after which it rests; null: never. */
  readonly restsAfterDays: number | null;
  readonly onTap: (dealId: number) => void;
  readonly onKey: (event: KeyboardEvent, dealId: number) => void;
}

/** A deal on the board. The pointer drags all of it; keys move it from its handle. */
export function Card(props: Props) {
  const { deal, isGrabbed, plan, restsAfterDays } = props;
  const { id } = deal;
  const element = useRef<HTMLLIElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  useEffect(() => (element.current ? dragCard(element.current, id) : undefined), [id]);
  // Wherever it was carried, the next key is to find it.
  useLayoutEffect(() => {
    if (isGrabbed) handle.current?.focus();
  });
  const latest = useRef(props);
  latest.current = props;
  // A board has hundreds of cards, and most of what happens on it concerns few of them. Their places are not shown.
  const content = JSON.stringify([{ ...deal, position: 0 }, plan, restsAfterDays]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the content stands for what it was made of
  return useMemo(
    () => (
      <li ref={element} class={`deal-card ${isGrabbed ? 'grabbed' : ''}`} data-deal={id}>
        <Content
          {...props}
          handle={handle}
          onTap={() => latest.current.onTap(id)}
          onKey={(event) => latest.current.onKey(event, id)}
        />
      </li>
    ),
    [content, isGrabbed],
  );
}

function Content({
  deal,
  isGrabbed,
  plan,
  restsAfterDays,
  handle,
  onTap,
  onKey,
}: Pick<Props, 'deal' | 'isGrabbed' | 'plan' | 'restsAfterDays'> & {
  readonly handle: Ref<HTMLButtonElement>;
  readonly onTap: () => void;
  readonly onKey: (event: KeyboardEvent) => void;
}) {
  const { board, records } = words.value;
  const { id, status, contact, deal_assignees, total_deal_products_amount_in_cents } = deal;
  const name = deal.name || records.untitled;
  return (
    <>
      <div class="deal-card-title">
        <Link href={`/deals/${id}`} draggable={false}>
          {name}
        </Link>
        <button
          ref={handle}
          type="button"
          class="icon-button"
          aria-label={board.handle(name)}
          aria-pressed={isGrabbed}
          aria-describedby="board-keys"
          onClick={onTap}
          onKeyDown={onKey}
        >
          <Icon name="drag" />
        </button>
      </div>
      <p class="soft">{contactName(contact)}</p>
      <div class="deal-card-end">
        {status === 'open' && plan && <ActivityDot next={plan.next} />}
        {status === 'open' && plan && <Rest plan={plan} afterDays={restsAfterDays} />}
        <People assignees={deal_assignees} count={deal.deal_assignees_count} />
        {status !== 'open' && <StatusBadge status={status} />}
        <Money cents={total_deal_products_amount_in_cents} />
      </div>
    </>
  );
}

/** How many days a deal has been in its stage, from the first on, and since something was last done for it. */
function Rest({ plan, afterDays }: { readonly plan: Plan; readonly afterDays: number | null }) {
  const { board } = words.value;
  const days = daysSince(plan.since);
  if (!days) return null;
  const idle = daysSince(plan.lastActivity);
  const texts = [board.rests(days), idle === undefined ? board.idle : board.idleFor(idle)];
  const isLong = afterDays !== null && days >= afterDays;
  return (
    <abbr class={isLong ? 'badge warn' : 'soft'} title={texts.join(' · ')}>
      {board.days(formatNumber(days))}
    </abbr>
  );
}

const daysSince = (moment: string | undefined): number | undefined =>
  moment === undefined ? undefined : Math.floor((Date.now() - Date.parse(moment)) / 86_400_000);
