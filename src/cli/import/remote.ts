/** Importing over the network, by the REST interface of a service. */
import { everyPage, type Page } from '../../import/pages.ts';
import type { Result, Service } from '../../import/service.ts';
import { CommandError } from '../command_error.ts';
import { createAsk, type Question } from './ask.ts';

interface Place {
  /** Its origin. */
  readonly url: string;
  readonly account: number;
  readonly token: string;
}

/** A service reached with a token; its calls throw a `CommandError` with what was answered. */
export function remoteService({ url, account, token }: Place): Service {
  const ask = createAsk(new URL(`/api/v1/accounts/${account}/`, url), token);
  const answer = async (question: Question): Promise<string> => {
    const text = await ask(question);
    if (text === undefined) throw new CommandError(`${url} has no account ${account}`);
    return text;
  };
  const post = async <T>(question: Question): Promise<T> => JSON.parse(await answer(question));
  return {
    reach: async () => {
      await answer({ path: 'me' });
    },
    write: async (records, body, key) => {
      const headers = key === undefined ? {} : { 'idempotency-key': key };
      const question = { path: `${records}/batch`, body, headers };
      return (await post<{ results: Result[] }>(question)).results;
    },
    find: (records, query) =>
      everyPage((page) =>
        post<Page>({
          path: `${records}/search`,
          body: JSON.stringify({ query, page, per_page: 100 }),
        }),
      ),
  };
}
