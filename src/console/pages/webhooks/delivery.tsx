import type { DeliveryRowFragment } from '../../../generated/console.ts';
import { parseJson } from '../../api/json.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { formatAgo, formatMoment, formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const kinds: Readonly<Record<string, string>> = {
  delivered: 'good',
  failed: 'bad',
  pending: 'accent',
};

/** One delivery; what was sent and what came back unfolds. */
export function Delivery({
  delivery,
  mayRetry,
  onRetry,
}: {
  readonly delivery: DeliveryRowFragment;
  readonly mayRetry: boolean;
  readonly onRetry: () => Promise<void>;
}) {
  const { webhooks: texts } = words.value;
  const { event, record_id, status, attempts, response_status, created_at } = delivery;
  const statuses: Readonly<Record<string, string>> = texts.statuses;
  const isRetried = status === 'pending' && attempts > 0;
  return (
    <li>
      <details>
        <summary>
          <Icon name="next" />
          <time dateTime={created_at}>{formatMoment(created_at)}</time>
          <span>
            <code>{event}</code> <span class="soft">#{record_id}</span>
          </span>
          <span class={`badge ${isRetried ? 'warn' : (kinds[status] ?? '')}`}>
            {isRetried ? texts.retrying : (statuses[status] ?? status)}
          </span>
          <span class="soft">{response_status ?? ''}</span>
        </summary>
        <Outcome delivery={delivery} />
        {delivery.request_body === null ? (
          <p class="soft">{texts.noBody}</p>
        ) : (
          <Text title={texts.request} text={pretty(delivery.request_body)} />
        )}
        {delivery.response_body !== null && delivery.response_body !== '' && (
          <Text title={texts.response} text={pretty(delivery.response_body)} />
        )}
        <Button onClick={onRetry} disabled={!mayRetry}>
          {texts.retry}
        </Button>
      </details>
    </li>
  );
}

/** What became of it, in sentences. */
function Outcome({ delivery }: { readonly delivery: DeliveryRowFragment }) {
  const { webhooks: texts } = words.value;
  const { message_id, attempts, duration_ms, error, next_attempt_at } = delivery;
  const sentences = [
    texts.attempts(attempts),
    duration_ms === null ? '' : texts.duration(formatNumber(duration_ms)),
    error ?? '',
    next_attempt_at === null ? '' : texts.nextAttempt(formatAgo(next_attempt_at)),
  ];
  return (
    <p class="entry-trace">
      {sentences.filter((sentence) => sentence !== '').join(' · ')} · <code>{message_id}</code>
    </p>
  );
}

const Text = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <figure class="sent">
    <figcaption>{title}</figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled is scrolled by keys, too */}
    <pre tabIndex={0}>{text}</pre>
  </figure>
);

/** JSON on several lines; any other text as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(parseJson(text), null, 2);
  } catch {
    return text;
  }
}
