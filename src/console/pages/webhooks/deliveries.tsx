import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import {
  type DeliveryRowFragment,
  RetryDeliveryDocument,
  TestWebhookDocument,
  WebhookDeliveriesDocument,
  type WebhookRowFragment,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { FilterSelect } from '../../components/filter_select.tsx';
import { Paging } from '../../components/paging.tsx';
import { attempt } from '../../components/toast.tsx';
import { useFilters } from '../../components/use_filters.ts';
import { words } from '../../words/words.ts';
import { Delivery } from './delivery.tsx';
import { ReplayDialog } from './replay.tsx';

/** How often the outcome of what is about to be sent is asked for, in milliseconds, and how many times. */
const lookingMs = 1500;
const mostLooks = 20;

/** What a webhook was sent or is to be sent; anyone who tests it sees what comes of it. */
export function Deliveries({
  webhook: { id, enabled },
  onChange,
}: {
  readonly webhook: WebhookRowFragment;
  readonly onChange: () => Promise<void>;
}) {
  const { webhooks: texts, records } = words.value;
  const [filters, change] = useFilters({ status: '', page: '1' });
  const [isReplaying, replay] = useState(false);
  const answer = useAnswer(WebhookDeliveriesDocument, {
    webhook_id: id,
    query: { status_eq: filters.status },
    page: Number(filters.page) || 1,
  });
  const { data, reload } = answer;
  /** The outcome of a delivery may also change its webhook, which is therefore read after it. */
  const look = useCallback(async () => {
    await reload();
    await onChange();
  }, [reload, onChange]);
  const looks = useRef(0);
  /** What is sent again, with the attempts that there were. */
  const awaited = useRef(new Map<number, number>());
  useEffect(() => {
    const isAwaited = (delivery: DeliveryRowFragment) =>
      delivery.status === 'pending' &&
      delivery.attempts === (awaited.current.get(delivery.id) ?? 0);
    if (!data?.webhook_deliveries.data.some(isAwaited) || looks.current >= mostLooks) return;
    const timer = setTimeout(() => {
      looks.current += 1;
      void look();
    }, lookingMs);
    return () => clearTimeout(timer);
  }, [data, look]);
  const send = async (send: () => Promise<unknown>) => {
    looks.current = 0;
    await attempt(send);
    await look();
  };
  const test = () => send(() => ask(TestWebhookDocument, { id }));
  const retry = (delivery: DeliveryRowFragment) => {
    awaited.current.set(delivery.id, delivery.attempts);
    return send(() => ask(RetryDeliveryDocument, { id: delivery.id }));
  };
  const statuses = Object.entries(texts.statuses).map(([value, text]) => ({ value, text }));
  return (
    <section class="part">
      <header class="page-header">
        <h2>{texts.deliveries}</h2>
        <div class="page-actions">
          <Button onClick={() => replay(true)} disabled={!enabled}>
            {texts.replay}
          </Button>
          <Button kind="primary" onClick={test} disabled={!enabled}>
            {texts.test}
          </Button>
        </div>
      </header>
      <div class="filters">
        <FilterSelect
          filters={filters}
          change={change}
          name="status"
          label={texts.state}
          options={[{ value: '', text: records.all }, ...statuses]}
        />
      </div>
      <Answer of={answer}>
        {({ webhook_deliveries: { data: deliveries, pagination } }) =>
          deliveries.length === 0 ? (
            <Empty title={texts.noDeliveries}>{texts.whyNoDeliveries}</Empty>
          ) : (
            <>
              <ul class="entries deliveries" aria-busy={answer.isLoading}>
                {deliveries.map((delivery) => (
                  <Delivery
                    key={delivery.id}
                    delivery={delivery}
                    mayRetry={enabled}
                    onRetry={() => retry(delivery)}
                  />
                ))}
              </ul>
              <Paging pagination={pagination} onPage={(page) => change({ page: String(page) })} />
            </>
          )
        }
      </Answer>
      {isReplaying && <ReplayDialog id={id} onReplayed={reload} onClose={() => replay(false)} />}
    </section>
  );
}
