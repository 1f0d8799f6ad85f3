/** What notes say, which is not among the fields of an event that comes with its contact. */
import { parseJson } from '../../../json/json.ts';
import { CommandError } from '../../command_error.ts';
import type { Ask } from '../ask.ts';
import { type Foreign, foreigners, listIn } from './source.ts';

/** As many as one page may have. */
const maxAsked = 100;

/**
 * @returns a function that adds the contents found by a search to a contact's events. The documented API has
 *   no such search: a source that refuses it is asked once and no more
 */
export function contentsFrom(ask: Ask): (contact: Foreign) => Promise<Foreign> {
  let isThere = true;
  const search = async (ids: readonly number[]): Promise<readonly Foreign[]> => {
    const body = JSON.stringify({ query: { id_in: ids }, per_page: maxAsked });
    const text = await ask({ path: 'events/search', body }).catch((error: unknown) => {
      if (error instanceof CommandError) return undefined;
      throw error;
    });
    isThere = text !== undefined;
    return text === undefined ? [] : foreigners(listIn(parseJson(text)));
  };
  return async (contact) => {
    const events = foreigners(contact.events);
    const silent = events.filter((event) => event.kind === 'note' || event.kind === 'activity');
    const contents = new Map<number, unknown>();
    for (let at = 0; at < silent.length && isThere; at += maxAsked) {
      const ids = silent.slice(at, at + maxAsked).map(({ id }) => id);
      for (const { id, content } of await search(ids)) contents.set(id, content);
    }
    const said = events.map((event) => ({ content: contents.get(event.id), ...event }));
    return { ...contact, events: said };
  };
}
