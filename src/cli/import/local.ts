/** The service within this process, on its own database. */
import type { Context } from '../../context.ts';
import { Fault } from '../../errors.ts';
import type { Fields } from '../../import/draft.ts';
import { everyPage } from '../../import/pages.ts';
import type { Service } from '../../import/service.ts';
import type { Importable } from '../../import/targets.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { contacts } from '../../resources/contacts/record.ts';
import { deal_products } from '../../resources/deal_products/record.ts';
import { deals } from '../../resources/deals/record.ts';
import { events } from '../../resources/events/record.ts';
import { backdate } from '../../resources/kernel/backdate.ts';
import type { Resource } from '../../resources/kernel/resource.ts';
import { products } from '../../resources/products/record.ts';
import { call } from '../../rest/call.ts';
import { describe } from '../failure.ts';
import { undated } from './created.ts';
import { persisting, Temporary } from './persisting.ts';

const resources: Readonly<Record<Importable, Resource>> = {
  ...{ contacts, deals, products, deal_products, events },
};

/** @param contextOf makes the context of one call */
export function localService(contextOf: () => Context): Service {
  const ask = async (operation: string, given: Fields) =>
    JSON.parse(await call(contextOf(), operation, given).catch(temporarily));
  const write = async (records: Importable, given: JsonObject) => {
    const { now } = contextOf();
    const dated = Array.isArray(given.records) ? given.records : [];
    const batch = undated(dated, now);
    const { results } = await ask(`batch_${records}`, { ...given, records: batch.records });
    const moments = batch.momentsOf(results);
    if (moments.size > 0) {
      await backdate(contextOf(), resources[records], moments).catch(temporarily);
    }
    return batch.all(results);
  };
  return {
    write: (records, body) => {
      const given = parseJson(body);
      if (!isJsonObject(given)) throw new Error('a batch is an object');
      return persisting(() => write(records, given));
    },
    find: (records, query) =>
      everyPage((page) => persisting(() => ask(records, { query, page, per_page: 100 }))),
  };
}

/** @throws {Temporary} where the database may be there again the next time */
function temporarily(error: unknown): never {
  const isOver = error instanceof Fault && error.code === 'UNAVAILABLE';
  throw isOver ? new Temporary(describe(error)) : error;
}
