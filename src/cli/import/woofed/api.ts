/** The system's own API. */
import { isJsonObject, parseJson } from '../../../json/json.ts';
import { CommandError } from '../../command_error.ts';
import { type Ask, createAsk } from '../ask.ts';
import { contentsFrom } from './contents.ts';
import {
  type Foreign,
  foreigner,
  foreigners,
  type ListedKind,
  listIn,
  type Source,
} from './source.ts';

/** As many as a page may have here; the system may send fewer. */
const perPage = 100;

/**
 * @param base of an account's paths: `https://crm.example.com/api/v1/accounts/7/`
 * @param token of one of its admins
 */
export function apiOf(base: URL, token: string): Source {
  const ask = createAsk(base, token);
  const withContents = contentsFrom(ask);
  return {
    pages: (kind) => walk(ask, kind),
    one: async (kind, id) => {
      const text = await ask({ path: `${kind}/${id}` });
      const record = text === undefined ? undefined : foreigner(parseJson(text));
      return record && kind === 'contacts' ? withContents(record) : record;
    },
    pipelines: async () => {
      const text = await ask({ path: 'pipelines' }).catch((error: unknown) => {
        // The documented API has no such path, so the source may or may not answer it.
        if (error instanceof CommandError) return undefined;
        throw error;
      });
      const list = text === undefined ? undefined : listIn(parseJson(text));
      return Array.isArray(list) && list.every(hasStages) ? foreigners(list) : undefined;
    },
  };
}

const hasStages = (value: unknown) => isJsonObject(value) && Array.isArray(value.stages);

/**
 * All records, by their ids: numbered pages shift while records come and go, and the API does not document
 * how to ask for one.
 */
async function* walk(ask: Ask, kind: ListedKind): AsyncGenerator<readonly Foreign[]> {
  for (let last = 0; ; ) {
    const query = { id_gt: last, s: 'id asc' };
    const text = await ask({
      path: `${kind}/search`,
      body: JSON.stringify({ query, per_page: perPage }),
    });
    if (text === undefined) throw new CommandError(`There is no such account at the source`);
    const page = foreigners(listIn(parseJson(text)));
    if (page.length === 0) return;
    for (const { id } of page) {
      if (id <= last) throw new CommandError(`The source does not list ${kind} by their ids`);
      last = id;
    }
    yield page;
  }
}
