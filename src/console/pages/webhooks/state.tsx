import type { WebhookRowFragment } from '../../../generated/console.ts';
import { formatDay, formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const isFailing = ({ failing_since, disabled_reason }: WebhookRowFragment): boolean =>
  failing_since !== null || disabled_reason !== null;

/** Those that fail first, then those of nobody, those that work, and those that somebody switched off. */
export const byNeed = (webhooks: readonly WebhookRowFragment[]): readonly WebhookRowFragment[] => {
  const rank = (webhook: WebhookRowFragment) => {
    if (isFailing(webhook)) return 0;
    if (webhook.user_id === null) return 1;
    return webhook.enabled ? 2 : 3;
  };
  return [...webhooks].sort((one, other) => rank(one) - rank(other));
};

/** Whether anything is sent to the webhook, and whether that arrives. */
export function State({ webhook }: { readonly webhook: WebhookRowFragment }) {
  const { webhooks: texts } = words.value;
  const { enabled, failing_since, disabled_at, disabled_reason } = webhook;
  if (!enabled) {
    const when = disabled_at ? formatMoment(disabled_at) : undefined;
    return (
      <span class={`badge ${disabled_reason === null ? '' : 'bad'}`} title={when}>
        {disabled_reason === null ? texts.isOff : texts.isGivenUp}
      </span>
    );
  }
  if (failing_since === null) return <span class="badge good">{texts.isOn}</span>;
  return (
    <span class="badge bad" title={formatMoment(failing_since)}>
      {texts.isFailing(formatDay(failing_since))}
    </span>
  );
}
