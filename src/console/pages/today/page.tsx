import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { TodayDocument, type TodayQuery } from '../../../generated/console.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { who } from '../../api/who.ts';
import { Answer } from '../../components/answer.tsx';
import { Empty } from '../../components/empty.tsx';
import { FilterSelect } from '../../components/filter_select.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { useChange } from '../../components/use_change.ts';
import { useFilters } from '../../components/use_filters.ts';
import { NextStepOffer } from '../../records/activities/next_step.tsx';
import { activityChanges, endOfDay, plannedFor } from '../../records/activities/plan.ts';
import { words } from '../../words/words.ts';
import { BareDeals } from './bare_deals.tsx';
import { ActivityRows } from './rows.tsx';
import { useRowKeys } from './use_row_keys.ts';

/** What is overdue moves on by itself, in milliseconds. */
const everyMs = 60_000;

/** What is to be done: overdue, today and later, and the deals that nobody will come back to. */
export function TodayPage() {
  const { activities: texts, records } = words.value;
  const [filters, change] = useFilters({ of: 'me' }, true);
  const [now, setNow] = useState(Date.now);
  // What was changed is asked for as of now.
  useChange(activityChanges.value, () => setNow(Date.now()));
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, []);
  const answer = useAnswer(TodayDocument, conditionsAt(now, filters.of === 'me'));
  const options = [
    { value: 'me', text: texts.mine },
    { value: 'all', text: records.anybody },
  ];
  return (
    <>
      <PageHeader title={texts.title}>
        <FilterSelect
          filters={filters}
          change={change}
          name="of"
          label={records.owner}
          options={options}
        />
      </PageHeader>
      <Answer of={answer}>{(data) => <Day day={data} now={now} />}</Answer>
      <NextStepOffer />
    </>
  );
}

function conditionsAt(now: number, isOwn: boolean) {
  const planned = plannedFor(isOwn);
  const [moment, midnight] = [new Date(now).toISOString(), endOfDay(now)];
  const inOrder = { s: ['scheduled_at', 'id'] };
  const ofDay = { ...planned, scheduled_at_gteq: moment, scheduled_at_lt: midnight };
  const { g, ...conditions } = planned;
  const isLater = { m: 'or', scheduled_at_gteq: midnight, scheduled_at_null: true };
  return {
    overdue: { ...planned, scheduled_at_lt: moment, ...inOrder },
    today: { ...ofDay, ...inOrder },
    later: { ...conditions, g: [isLater, ...(Array.isArray(g) ? g : [])], ...inOrder },
    deals: {
      status_eq: 'open',
      has_next_step_false: true,
      ...(isOwn && { users_id_eq: who.value?.me.user.id }),
      s: ['total_deal_products_amount_in_cents desc', 'id desc'],
    },
  };
}

function Day({ day, now }: { readonly day: TodayQuery; readonly now: number }) {
  const { activities: texts } = words.value;
  const list = useRowKeys();
  const { overdue, today, later, bare } = day;
  const isEmpty = [overdue, today, later, bare].every(({ pagination }) => pagination.count === 0);
  if (isEmpty) return <Empty title={texts.none}>{texts.whyNone}</Empty>;
  return (
    <div ref={list} class="day">
      <p class="keys-hint">
        {texts.keys} <Link href="/keys">{words.value.keys.title}</Link>
      </p>
      <ActivityRows title={texts.overdue} kind="overdue" page={overdue} now={now} />
      <ActivityRows title={texts.today} kind="today" page={today} now={now} />
      <ActivityRows title={texts.later} kind="planned" page={later} now={now} />
      <BareDeals page={bare} />
    </div>
  );
}
