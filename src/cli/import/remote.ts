/** A service that is asked over the network, with a token. */
import { everyPage, type Page } from '../../import/pages.ts';
import type { Result, Service } from '../../import/service.ts';
import { CommandError } from '../failure.ts';
import { persisting, Temporary } from './persisting.ts';

interface Place {
  /** Its origin. */
  readonly url: string;
  readonly account: number;
  readonly token: string;
}

/** So long may one answer take. */
const patienceMs = 60_000;

const worthAnother = new Set([408, 409, 429, 502, 503, 504]);

export function remoteService({ url, account, token }: Place): Service {
  const base = new URL(`/api/v1/accounts/${account}/`, url);
  const post = async <T>(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> => {
    const response = await fetch(new URL(path, base), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        ...headers,
      },
      body,
      signal: AbortSignal.timeout(patienceMs),
    }).catch((error: unknown) => {
      throw new Temporary(`${base.origin} cannot be reached: ${reasonOf(error)}`);
    });
    const text = await response.text().catch((error: unknown) => {
      throw new Temporary(`${base.origin} did not answer: ${reasonOf(error)}`);
    });
    if (response.ok) return JSON.parse(text);
    const said = `${base.origin} answered ${response.status}: ${errorsIn(text)}`;
    if (!worthAnother.has(response.status)) throw new CommandError(said);
    throw new Temporary(said, Number(response.headers.get('retry-after') ?? Number.NaN));
  };
  return {
    write: (records, body, key) =>
      persisting(async () => {
        const headers = { 'idempotency-key': key };
        const { results } = await post<{ results: Result[] }>(`${records}/batch`, body, headers);
        return results;
      }),
    find: (records, query) =>
      everyPage((page) =>
        persisting(() =>
          post<Page>(`${records}/search`, JSON.stringify({ query, page, per_page: 100 })),
        ),
      ),
  };
}

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
};

function errorsIn(text: string): string {
  try {
    const { errors }: { errors?: readonly string[] } = JSON.parse(text);
    return errors?.join('; ') ?? '';
  } catch {
    return text.slice(0, 200);
  }
}
