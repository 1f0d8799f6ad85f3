import type { Config } from '../config/config.ts';
import type { Deliveries } from '../context/context.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { PushSender } from './push.ts';
import { Receivers } from './receivers.ts';

/** What a process sends to webhooks and browsers, if it does. */
export interface Delivery extends Deliveries {
  /** See {@link PushSender.notify}. */
  readonly notify: PushSender['notify'];
  /** See {@link Dispatcher.close}. */
  close(): Promise<void>;
}

/** Takes up nothing before {@link Deliveries.wake} is first called. */
export function openDelivery(
  { webhookAllow, webhookDelivery, publicUrl = 'https://localhost' }: Config,
  options: Omit<DispatcherOptions, 'receivers'>,
): Delivery {
  const receivers = new Receivers(webhookAllow);
  const push = webhookDelivery
    ? new PushSender(options.db, receivers, publicUrl, options.log)
    : undefined;
  const dispatcher = webhookDelivery ? new Dispatcher({ ...options, receivers }) : undefined;
  return {
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
