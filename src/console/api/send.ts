import { parseJson } from './json.ts';
import { Refusal } from './refusal.ts';

interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

/**
 * Asks the service for something, with the cookie of the session.
 * @param sent goes as JSON unless undefined
 * @returns the answer's status and its JSON, null where it has none
 * @throws {Refusal} OFFLINE when no answer came, UNAVAILABLE when it was not the service's
 */
export async function send<Body>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  sent?: unknown,
): Promise<Answer<Body>> {
  const offline = () => {
    throw new Refusal('OFFLINE');
  };
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    ...(sent === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(sent) }),
  }).catch(offline);
  const text = await response.text().catch(offline);
  return { status: response.status, body: parse(text) };
}

function parse(text: string) {
  try {
    return parseJson(text || 'null');
  } catch {
    // A proxy in between answers in HTML.
    throw new Refusal('UNAVAILABLE');
  }
}
