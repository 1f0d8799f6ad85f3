import { useEffect } from 'preact/hooks';
import { ActivityCountDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useLoad } from '../../api/use_load.ts';
import { formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { activityChanges, endOfDay, plannedFor } from './plan.ts';

/** How often it is counted anew where nothing happens here, in milliseconds. */
const everyMs = 120_000;

/** How many of one's own activities are overdue or of today, beside the page's name in the navigation. */
export function DueCount() {
  const { data, reload } = useLoad(async () => {
    const query = { ...plannedFor(true), scheduled_at_lt: endOfDay(Date.now()) };
    return (await ask(ActivityCountDocument, { query })).events.pagination.count;
  }, String(activityChanges.value));
  useEffect(() => {
    const timer = setInterval(() => void reload(), everyMs);
    return () => clearInterval(timer);
  }, [reload]);
  if (!data) return null;
  return (
    <>
      {' '}
      <span class="menu-count" title={words.value.activities.due(data)}>
        {formatNumber(data)}
      </span>
    </>
  );
}
