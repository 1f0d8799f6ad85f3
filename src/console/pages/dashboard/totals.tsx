import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { TotalsDocument, type TotalsQuery } from '../../../generated/console.ts';
import { session } from '../../api/session.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { useLatest } from '../../api/use_live.ts';
import { Answer } from '../../components/answer.tsx';
import { AccountSteps } from '../../records/account_steps.tsx';
import { FirstStep } from '../../records/first_step.tsx';
import {
  formatDays,
  formatMoney,
  formatMoneyShort,
  formatNumber,
  formatPercent,
} from '../../words/format.ts';
import { words } from '../../words/words.ts';
import type { Scope } from './period.ts';
import { QueryLink } from './query_link.tsx';

/** The figures that are looked at first; in an account without deals, where to begin. */
export function Totals({
  query,
  period,
  live,
  children,
}: Scope & {
  /** What follows where there are deals. */
  readonly children: ComponentChildren;
}) {
  const { deals } = words.value;
  const given = {
    open: { ...query, status_eq: 'open' },
    won: { ...query, status_eq: 'won' },
    closed: query,
    ...period,
  };
  const answer = useAnswer(TotalsDocument, given);
  const data = useLatest(answer.data, live);
  const variables = { account_id: session.value?.account_id, ...given };
  const create = (
    <ol class="first-steps">
      <li>
        <Link href="/deals">{deals.create}</Link>
      </li>
      <AccountSteps />
    </ol>
  );
  return (
    <Answer of={{ ...answer, data }}>
      {(totals) =>
        totals.all[0]?.count === 0 ? (
          <FirstStep title={deals.none} why={deals.whyNone} create={create} />
        ) : (
          <>
            <Tiles data={totals} variables={variables} />
            {children}
          </>
        )
      }
    </Answer>
  );
}

function Tiles({ data, variables }: { readonly data: TotalsQuery; readonly variables: object }) {
  const { dashboard: texts } = words.value;
  const [open] = data.open;
  const [won] = data.won;
  const [closed] = data.closed;
  const rate = closed?.won_rate;
  const tiles = [
    {
      title: texts.openAmount,
      value: formatMoneyShort(open?.sum_in_cents ?? 0),
      whole: formatMoney(open?.sum_in_cents ?? 0),
      more: texts.deals(formatNumber(open?.count ?? 0)),
    },
    {
      title: texts.wonAmount,
      value: formatMoneyShort(won?.sum_in_cents ?? 0),
      whole: formatMoney(won?.sum_in_cents ?? 0),
      more: texts.deals(formatNumber(won?.count ?? 0)),
    },
    {
      title: texts.wonRate,
      value: typeof rate === 'number' ? formatPercent(rate) : '–',
      more: texts.ofClosed,
    },
    {
      title: texts.daysToClose,
      value: formatDays(won?.median_days_to_close),
      more: texts.median,
    },
  ];
  return (
    <dl class="tiles">
      {tiles.map(({ title, value, whole, more }) => (
        <div key={title} class="card">
          <dt>{title}</dt>
          <dd title={whole}>{value}</dd>
          <dd class="soft">{more}</dd>
        </div>
      ))}
      <div class="tiles-query">
        <dt class="unseen">{texts.query}</dt>
        <dd>
          <QueryLink of={texts.title} query={TotalsDocument.toString()} variables={variables} />
        </dd>
      </div>
    </dl>
  );
}
