import { parseJson } from './json.ts';
import { Refusal } from './refusal.ts';

interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  /** What the service calls the request, in its log and in the audit log. */
  readonly request: string;
}

/**
 * Asks the service for something, with the cookie of the session.
 * @param sent JSON, unless undefined
 * @param key by which the service knows the same change when it is sent again
 * @returns the answer's status and its JSON, null where it has none
 * @throws {Refusal} OFFLINE when no answer came, UNAVAILABLE when it was not the service's
 */
export async function send<Body>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  sent?: string,
  key?: string,
): Promise<Answer<Body>> {
  const offline = () => {
    throw new Refusal('OFFLINE');
  };
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: {
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(sent !== undefined && { body: sent }),
  }).catch(offline);
  const text = await response.text().catch(offline);
  const request = response.headers.get('x-request-id') ?? '';
  return { status: response.status, body: parse(text), request };
}

function parse(text: string) {
  try {
    return parseJson(text || 'null');
  } catch {
    // A proxy in between answers in HTML.
    throw new Refusal('UNAVAILABLE');
  }
}
