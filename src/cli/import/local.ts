/** The service within this process, on its own database. */
import type { Context } from '../../context.ts';
import { Fault } from '../../errors.ts';
import type { Fields } from '../../import/draft.ts';
import type { Service } from '../../import/service.ts';
import { isJsonObject, parseJson } from '../../json.ts';
import { call } from '../../rest/call.ts';
import { describe } from '../failure.ts';
import { everyPage } from './pages.ts';
import { finished, persisting, Temporary } from './persisting.ts';

/** @param contextOf makes the context of one call */
export function localService(contextOf: () => Context): Service {
  const ask = async (operation: string, given: Fields) => {
    const answer = await call(contextOf(), operation, given).catch((error: unknown) => {
      const isOver = error instanceof Fault && error.code === 'UNAVAILABLE';
      throw isOver ? new Temporary(describe(error)) : error;
    });
    return JSON.parse(answer);
  };
  return {
    write: async (records, body) => {
      const given = parseJson(body);
      if (!isJsonObject(given)) throw new Error('a batch is an object');
      return persisting(async () => finished((await ask(`batch_${records}`, given)).results));
    },
    find: (records, query) =>
      everyPage((page) => persisting(() => ask(records, { query, ...page }))),
  };
}
