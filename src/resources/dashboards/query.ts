import { Fault, type Faults } from '../../errors.ts';
import { parseSearch } from '../../search/parse.ts';
import type { Search } from '../../search/search.ts';
import { shapes } from '../shapes.ts';

/**
 * Reads which deals a dashboard is about, in the language of the searches, and adds what is wrong
 * with it to the faults. An order is among the faults: a dashboard has its own.
 * @param faults of a search
 */
export function readDealQuery(query: unknown, faults: Faults): Search | undefined {
  try {
    const search = parseSearch(query, 'deals', shapes);
    if (search.sorts.length > 0) faults.add('s', 'has no place here: the order is given');
    return search;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    for (const [key, messages] of Object.entries(error.fields ?? {})) {
      for (const message of messages) faults.add(key, message);
    }
    return undefined;
  }
}
