import type { WebhookRowFragment } from '../../../generated/console.ts';
import { nameOf } from '../../api/use_people.ts';
import { Button } from '../../components/button.tsx';
import { Detail } from '../../records/detail.tsx';
import { formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { summaryOf } from './events.ts';
import { State } from './state.tsx';

/** What is wrong with a webhook, if anything is, and what it is. */
export function Facts({
  webhook,
  onHandOver,
}: {
  readonly webhook: WebhookRowFragment;
  /** Chooses somebody else to answer for it. */
  readonly onHandOver: () => void;
}) {
  const { webhooks: texts } = words.value;
  const { events, user, enabled, failing_since, disabled_reason, created_at } = webhook;
  return (
    <>
      {!enabled && disabled_reason !== null && <p class="notice bad">{texts.whyGivenUp}</p>}
      {enabled && failing_since !== null && (
        <p class="notice bad">{texts.whyFailing(formatMoment(failing_since))}</p>
      )}
      {!user && (
        <div class="notice warn">
          <p>{texts.whyLeft}</p>
          <Button onClick={onHandOver}>{texts.handOver}</Button>
        </div>
      )}
      <dl class="card details">
        <Detail title={texts.state}>
          <State webhook={webhook} />
        </Detail>
        <Detail title={texts.events}>{summaryOf(events)}</Detail>
        <Detail title={texts.person}>{user ? nameOf(user) : texts.nobody}</Detail>
        <Detail title={texts.created}>{formatMoment(created_at)}</Detail>
      </dl>
    </>
  );
}
