import { attempt, tell } from '../../components/toast.tsx';
import { type Activity, changeActivity } from '../../records/activities/plan.ts';
import { formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';

/**
 * Moves an activity to another time.
 * @param to ISO 8601
 */
export async function postpone({ id, title, scheduled_at }: Activity, to: string): Promise<void> {
  const { activities: texts } = words.value;
  if (!(await attempt(() => changeActivity(id, { scheduled_at: to })))) return;
  tell(texts.moved(title || texts.untitled, formatMoment(to)), () =>
    changeActivity(id, { scheduled_at }),
  );
}
