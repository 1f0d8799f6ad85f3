import { Webhook } from 'standardwebhooks';

/** What a message is signed as. */
export interface SignatureInput {
  readonly message_id: string;
  /** Each in the form `whsec_…`; the newest first. */
  readonly secrets: readonly string[];
}

/**
 * The headers by which a receiver knows a message for ours, as Standard Webhooks have them: a
 * signature by each of the secrets.
 */
export function signatureOf(
  { message_id, secrets }: SignatureInput,
  body: string,
  at: Date,
): Readonly<Record<string, string>> {
  return {
    'webhook-id': message_id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign(message_id, at, body))
      .join(' '),
  };
}
