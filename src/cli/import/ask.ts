/** Asking a service over the network, for as long as it takes and no faster than it wants. */
import { CommandError } from '../command_error.ts';
import { reasonOf, unreachable } from '../unreachable.ts';
import { retryFailures, Temporary } from './retry.ts';

/** How long one answer may take, in milliseconds. */
const patienceMs = 60_000;

const worthAnother = new Set([408, 409, 429, 502, 503, 504]);

export interface Question {
  /** Beneath the base. */
  readonly path: string;
  /** As JSON; what has none is read. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns the text of an answer, undefined where there is no such thing */
export type Ask = (question: Question) => Promise<string | undefined>;

/**
 * @param base what paths lie beneath, with a slash at its end
 * @throws {CommandError} with the answer, once repeating the request is no use
 */
export const createAsk =
  (base: URL, token: string): Ask =>
  ({ path, body, headers = {} }) =>
    retryFailures(async () => {
      const response = await fetch(new URL(path, base), {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          accept: 'application/json',
          authorization: `Bearer ${token}`,
          ...headers,
        },
        // The token is for nobody else.
        redirect: 'manual',
        signal: AbortSignal.timeout(patienceMs),
        ...(body === undefined ? {} : { body }),
      }).catch((error: unknown) => {
        const { message, lasts } = unreachable(base.origin, error);
        throw lasts ? new CommandError(message) : new Temporary(message);
      });
      const text = await response.text().catch((error: unknown) => {
        throw new Temporary(`${base.origin} did not answer: ${reasonOf(error)}`);
      });
      if (response.ok) return text;
      if (response.status === 404) return undefined;
      const said = `${base.origin} answered ${response.status}: ${errorsIn(text)}`;
      if (!worthAnother.has(response.status)) throw new CommandError(said);
      throw new Temporary(said, secondsIn(response.headers.get('retry-after')));
    });

/** RFC 9110 has it as seconds or as a moment. */
function secondsIn(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? Number.NaN);
  if (!Number.isNaN(seconds)) return seconds;
  return (Date.parse(retryAfter ?? '') - Date.now()) / 1000;
}

function errorsIn(text: string): string {
  try {
    const { errors }: { errors?: readonly string[] } = JSON.parse(text);
    return errors?.join('; ') ?? '';
  } catch {
    return text.slice(0, 200);
  }
}
