/** The service, as an import asks it. */
import {
  type BatchedFragment,
  ContactsForImportDocument,
  DealProductsForImportDocument,
  DealsForImportDocument,
  ImportContactsDocument,
  ImportDealProductsDocument,
  ImportDealsDocument,
  ImportEventsDocument,
  ImportProductsDocument,
  PipelinesForImportDocument,
  ProductsForImportDocument,
  StagesForImportDocument,
  type TypedDocumentString,
} from '../../../generated/console.ts';
import type { Json } from '../../../import/cells.ts';
import type { Fields } from '../../../import/draft.ts';
import { everyPage, type Page } from '../../../import/pages.ts';
import type { Service } from '../../../import/service.ts';
import type { Importable } from '../../../import/targets.ts';
import { ask } from '../../api/ask.ts';
import { parseJson } from '../../api/json.ts';

type Batches = TypedDocumentString<{ batch: BatchedFragment }, { account_id: number } & Fields>;

const batches: Readonly<Record<Importable, Batches>> = {
  contacts: ImportContactsDocument,
  deals: ImportDealsDocument,
  products: ImportProductsDocument,
  deal_products: ImportDealProductsDocument,
  events: ImportEventsDocument,
};

type Searches = TypedDocumentString<{ list: Page }, { account_id: number } & Fields>;

const searches: Readonly<Record<string, Searches>> = {
  contacts: ContactsForImportDocument,
  deals: DealsForImportDocument,
  deal_products: DealProductsForImportDocument,
  products: ProductsForImportDocument,
  pipelines: PipelinesForImportDocument,
  stages: StagesForImportDocument,
};

export const json: Json = { parse: parseJson, stringify: (value) => JSON.stringify(value) };

export const service: Service = {
  write: async (records, body) => {
    const { batch } = await ask(batches[records], parseJson(body));
    return batch.results;
  },
  find: async (records, query) => {
    const document = searches[records];
    if (!document) throw new Error(`${records} cannot be searched`);
    return everyPage(async (page) => (await ask(document, { query, page })).list);
  },
};
