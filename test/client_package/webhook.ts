/** A webhook as the service sends it. */
import { Webhook } from 'standardwebhooks';

const body = '{"action":"create","record_type":"contact"}';

export interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function messageSigned(secret: string): Message {
  const now = new Date();
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
  };
  return { body, headers };
}
