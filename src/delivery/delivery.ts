import type { Config } from '../config/config.ts';
import type { Deliveries } from '../context/context.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { Receivers } from './receivers.ts';

/** What a process sends to webhooks, if it does. */
export interface Delivery extends Deliveries {
  /** See {@link Dispatcher.close}. */
  close(): Promise<void>;
}

/** Takes up nothing before {@link Deliveries.wake} is first called. */
export function openDelivery(
  { webhookAllow, webhookDelivery }: Config,
  options: Omit<DispatcherOptions, 'receivers'>,
): Delivery {
  const receivers = new Receivers(webhookAllow);
  const dispatcher = webhookDelivery ? new Dispatcher({ ...options, receivers }) : undefined;
  return {
    refusal: (url) => receivers.refusal(url),
    wake: () => dispatcher?.wake(),
    close: async () => {
      await dispatcher?.close();
      receivers.close();
    },
  };
}
