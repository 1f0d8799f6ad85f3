import type { Config } from '../config/config.ts';
import type { Deliveries } from '../context/context.ts';
import type { Database } from '../db/database.ts';
import type { Watch } from '../resources/changes/watch.ts';
import type { Log } from '../telemetry/log.ts';
import { AttemptFigures } from './attempt_figures.ts';
import type { Clock } from './claims.ts';
import { Dispatcher } from './dispatcher.ts';
import { PushSender } from './push.ts';
import { Receivers } from './receivers.ts';
import { send } from './send.ts';
import { deliverySpan } from './span.ts';
import { storeIn } from './store.ts';
import { machineTime } from './timing.ts';

/** What a process sends to webhooks and browsers, if it does. */
export interface Delivery extends Deliveries {
  /** See {@link PushSender.notify}. */
  readonly notify: PushSender['notify'];
  readonly figures: AttemptFigures;
  /** See {@link Dispatcher.close}. */
  close(): Promise<void>;
}

interface DeliveryOptions {
  readonly db: Database;
  readonly watch: Watch;
  readonly log: Log;
  /** The database's own unless given. */
  readonly clock?: (() => Clock) | undefined;
}

/** Takes up nothing before {@link Deliveries.wake} is first called. */
export function openDelivery(
  { webhookAllow, webhookDelivery, publicUrl = 'https://localhost' }: Config,
  { db, watch, log, clock }: DeliveryOptions,
): Delivery {
  const receivers = new Receivers(webhookAllow);
  const push = webhookDelivery ? new PushSender(db, receivers, publicUrl, log) : undefined;
  const figures = new AttemptFigures();
  const dispatcher = webhookDelivery
    ? new Dispatcher({
        store: storeIn(db, clock),
        timing: machineTime,
        watch,
        send: async (message, stopping) => {
          const { about } = message;
          if (!about) return send(receivers, message, stopping);
          const { traceparent, end } = deliverySpan(about);
          const attempt = await send(receivers, { ...message, traceparent }, stopping);
          end(attempt?.outcome);
          if (attempt) figures.note(about, attempt.outcome);
          return attempt;
        },
        log,
      })
    : undefined;
  return {
    figures,
    refusal: (url) => receivers.refusal(url),
    wake: () => dispatcher?.wake(),
    notify: async (...due) => push?.notify(...due),
    close: async () => {
      push?.close();
      await dispatcher?.close();
      receivers.close();
    },
  };
}
