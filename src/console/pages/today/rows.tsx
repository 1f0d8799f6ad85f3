import { Link } from 'wouter-preact';
import type { TodayQuery } from '../../../generated/console.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { finish } from '../../records/activities/finish.ts';
import { type Activity, nextWeek, type Standing, tomorrow } from '../../records/activities/plan.ts';
import { contactName } from '../../records/contact_name.ts';
import { StatusBadge } from '../../records/status.tsx';
import { formatMoment, formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { postpone } from './postpone.ts';

type Page = TodayQuery['overdue'];

/** Activities of one part of the day, or of all days after it. */
export function ActivityRows({
  title,
  kind,
  page: { data, pagination },
  now,
}: {
  readonly title: string;
  readonly kind: Standing;
  readonly page: Page;
  readonly now: number;
}) {
  if (data.length === 0) return null;
  const rest = pagination.count - data.length;
  return (
    <section class={`day-part ${kind}`} aria-label={title}>
      <h2>
        {title} <span class="badge">{formatNumber(pagination.count)}</span>
      </h2>
      <ul>
        {data.map((activity) => (
          <Row key={activity.id} activity={activity} kind={kind} now={now} />
        ))}
      </ul>
      {rest > 0 && <p class="soft">{words.value.board.more(formatNumber(rest))}</p>}
    </section>
  );
}

function Row({
  activity,
  kind,
  now,
}: {
  readonly activity: Activity;
  readonly kind: Standing;
  readonly now: number;
}) {
  const { activities: texts, records } = words.value;
  const { id, title, scheduled_at, deal, deal_id, contact_id, contact } = activity;
  const name = title || texts.untitled;
  const href = deal_id ? `/deals/${deal_id}` : `/contacts/${contact_id}`;
  return (
    <li class="activity-row" data-row={id}>
      <Checkbox
        name={`done-${id}`}
        label={<span class="unseen">{texts.finish(name)}</span>}
        value={false}
        onChange={() => finish(activity)}
      />
      <div class="activity-what">
        <Link href={href} data-main>
          {name}
        </Link>
        <p class="soft">
          {deal && <span>{deal.name || records.untitled}</span>}
          {deal && deal.status !== 'open' && <StatusBadge status={deal.status} />}
          <span>{contactName(contact)}</span>
        </p>
      </div>
      {scheduled_at && (
        <time dateTime={scheduled_at} class={kind === 'overdue' ? 'badge bad' : 'badge'}>
          {formatMoment(scheduled_at)}
        </time>
      )}
      <div class="activity-moves">
        <Button
          kind="quiet"
          data-key="t"
          aria-keyshortcuts="t"
          onClick={() => postpone(activity, tomorrow(now))}
        >
          {texts.tomorrow}
        </Button>
        <Button
          kind="quiet"
          data-key="w"
          aria-keyshortcuts="w"
          onClick={() => postpone(activity, nextWeek(now))}
        >
          {texts.nextWeek}
        </Button>
      </div>
    </li>
  );
}
