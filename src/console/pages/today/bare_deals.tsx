import { Link } from 'wouter-preact';
import type { TodayQuery } from '../../../generated/console.ts';
import { Button } from '../../components/button.tsx';
import { planStep } from '../../records/activities/next_step.tsx';
import { contactName } from '../../records/contact_name.ts';
import { formatMoney, formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';

/** Open deals for which nothing is planned. */
export function BareDeals({ page: { data, pagination } }: { readonly page: TodayQuery['bare'] }) {
  const { activities: texts, records } = words.value;
  if (data.length === 0) return null;
  const rest = pagination.count - data.length;
  return (
    <section class="day-part" aria-label={texts.bare}>
      <h2>
        {texts.bare} <span class="badge">{formatNumber(pagination.count)}</span>
      </h2>
      <ul>
        {data.map(({ id, name, contact, stage, total_deal_products_amount_in_cents }) => (
          <li key={id} class="activity-row" data-row={id}>
            <div class="activity-what">
              <Link href={`/deals/${id}`} data-main>
                {name || records.untitled}
              </Link>
              <p class="soft">
                <span>{contactName(contact)}</span>
                <span>{stage.name}</span>
              </p>
            </div>
            <span class="amount">{formatMoney(total_deal_products_amount_in_cents)}</span>
            <div class="activity-moves">
              <Button
                kind="quiet"
                icon="add"
                data-key="a"
                aria-label={texts.planFor(name || records.untitled)}
                aria-keyshortcuts="a"
                onClick={() =>
                  planStep({ subject: { kind: 'deal', id }, name: name || records.untitled })
                }
              >
                {texts.plan}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {rest > 0 && <p class="soft">{words.value.board.more(formatNumber(rest))}</p>}
    </section>
  );
}
