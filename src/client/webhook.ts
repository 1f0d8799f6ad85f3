/** Webhooks, as they are signed (Standard Webhooks). */

/** How old a message may be, or how far ahead of this machine's clock, in seconds. */
const tolerance = 300;

type Headers =
  | Readonly<Record<string, string | string[] | undefined>>
  | { get(name: string): string | null };

const headerOf = (headers: Headers, name: string): string => {
  const value = typeof headers.get === 'function' ? headers.get(name) : Reflect.get(headers, name);
  return [value].flat()[0]?.toString() ?? '';
};

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/**
 * Verifies that a message comes from the service and is new.
 * @param body as it came, byte for byte
 * @param secret `whsec_…`, or several, while one is changed
 * @returns the body, parsed
 * @throws {Error} for any other message
 */
export async function verifyWebhook(
  body: string,
  headers: Headers,
  secret: string | readonly string[],
): Promise<unknown> {
  const [id, time] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')];
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= tolerance)) {
    throw new Error('the message is too old, or has no time');
  }
  const signed = new TextEncoder().encode(`${id}.${time}.${body}`);
  for (const one of [secret].flat()) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const raw = bytesOf(one.replace(/^whsec_/, ''));
    const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
    for (const signature of signatures) {
      const [version, value = ''] = signature.split(',');
      if (version !== 'v1') continue;
      // Compared by the platform, in a time that tells nothing.
      const isRight = await crypto.subtle.verify('HMAC', key, bytesOf(value), signed);
      if (isRight) return JSON.parse(body);
    }
  }
  throw new Error('the message is not signed with this secret');
}
