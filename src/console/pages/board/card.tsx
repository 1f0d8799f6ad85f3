import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Icon } from '../../components/icon.tsx';
import { contactName } from '../../records/contact_name.ts';
import { People } from '../../records/people.tsx';
import { StatusBadge } from '../../records/status.tsx';
import { formatMoney } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { dragCard } from './drag.ts';
import type { BoardDeal } from './move.ts';

interface Props {
  readonly deal: BoardDeal;
  readonly isGrabbed: boolean;
  readonly onKey: (event: KeyboardEvent, dealId: number) => void;
}

/** A deal on the board. The pointer drags all of it; keys move it from its handle. */
export function Card({ deal, isGrabbed, onKey }: Props) {
  const { board, records } = words.value;
  const { id, name, status, contact, deal_assignees, total_deal_products_amount_in_cents } = deal;
  const element = useRef<HTMLLIElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  useEffect(() => (element.current ? dragCard(element.current, id) : undefined), [id]);
  // Wherever it was carried, the next key is to find it.
  useLayoutEffect(() => {
    if (isGrabbed) handle.current?.focus();
  });
  return (
    <li ref={element} class={`deal-card ${isGrabbed ? 'grabbed' : ''}`} data-deal={id}>
      <div class="deal-card-title">
        <Link href={`/deals/${id}`} draggable={false}>
          {name || records.untitled}
        </Link>
        <button
          ref={handle}
          type="button"
          class="icon-button"
          aria-label={board.handle(name || records.untitled)}
          aria-pressed={isGrabbed}
          aria-describedby="board-keys"
          onKeyDown={(event) => onKey(event, id)}
        >
          <Icon name="drag" />
        </button>
      </div>
      <p class="soft">{contactName(contact)}</p>
      <div class="deal-card-end">
        <People assignees={deal_assignees} count={deal.deal_assignees_count} />
        {status !== 'open' && <StatusBadge status={status} />}
        <span class="amount">{formatMoney(total_deal_products_amount_in_cents)}</span>
      </div>
    </li>
  );
}
