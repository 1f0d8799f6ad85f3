/** The service within this process, on its own database. */
import { setFlagsFromString } from 'node:v8';
import type { Context } from '../../context/context.ts';
import { Fault } from '../../errors/errors.ts';
import { everyPage } from '../../import/pages.ts';
import type { Result, Service } from '../../import/service.ts';
import type { Importable } from '../../import/targets.ts';
import { isJsonObject, parseJson } from '../../json/json.ts';
import { describe } from '../../process/failure.ts';
import { contacts } from '../../resources/contacts/record.ts';
import { deal_products } from '../../resources/deal_products/record.ts';
import { deals } from '../../resources/deals/record.ts';
import { events } from '../../resources/events/record.ts';
import { Idempotency } from '../../resources/idempotency/once.ts';
import { countOnce } from '../../resources/kernel/read/count.ts';
import type { Resource } from '../../resources/kernel/resource.ts';
import { backdate } from '../../resources/kernel/write/backdate.ts';
import { products } from '../../resources/products/record.ts';
import { call } from '../../rest/call.ts';
import { undated } from './creation_moments.ts';
import { retryFailures, Temporary } from './retry.ts';

const resources: Readonly<Record<Importable, Resource>> = {
  ...{ contacts, deals, products, deal_products, events },
};

/** By how much more than what is alive the heap may grow before it is collected, in percent. */
const heapGrowth = 25;

/** @param contextOf makes the context of one call */
export function localService(contextOf: () => Context): Service {
  // A batch lives long enough to leave the young generation. V8 would let the old one grow to four times
  // what is alive before it looks; the whole import has little that lives longer.
  setFlagsFromString(`--heap-growing-percent=${heapGrowth}`);
  const { answer } = new Idempotency(contextOf().signing.keys);
  const counting = countingOnce();
  return {
    write: async (records, body, key) => {
      if (key === undefined) {
        return retryFailures(() => write(contextOf(), records, parseJson(body)).catch(temporarily));
      }
      const request = { key, request: [records, body] };
      const results: readonly Result[] = await retryFailures(async () => {
        const reply = await answer(contextOf(), request, async (ctx) => {
          const results = await write(ctx, records, parseJson(body));
          return { status: 200, headers: {}, body: JSON.stringify(results), tellsOf: [] };
        }).catch(temporarily);
        return JSON.parse(reply.body);
      });
      // A dry run creates none: an empty table that is counted would pass for counted afterwards.
      if (results.some(({ id }) => id !== null)) await counting(contextOf(), records);
      return results;
    },
    find: (records, query) =>
      everyPage((page) =>
        retryFailures(async () => {
          const args = { query, page, per_page: 100 };
          return JSON.parse(await call(contextOf(), records, args).catch(temporarily));
        }),
      ),
  };
}

/** @returns what has a table counted once its first records are written: see {@link countOnce} */
export function countingOnce(): (ctx: Context, records: Importable) => Promise<void> {
  const kinds = new Set<Importable>();
  return async (ctx, records) => {
    if (kinds.has(records)) return;
    kinds.add(records);
    // It makes the rest faster, no more: what keeps it from counting keeps nobody from importing.
    await countOnce(ctx, resources[records]).catch(() => undefined);
  };
}

/** Writes a batch, and when its records were created, in one transaction where the context has one. */
export async function write(
  ctx: Context,
  records: Importable,
  value: unknown,
): Promise<readonly Result[]> {
  if (!isJsonObject(value) || !Array.isArray(value.records)) throw new Error('this is no batch');
  const batch = undated(value.records, ctx.now);
  const answer = await call(ctx, `batch_${records}`, { ...value, records: batch.records });
  const results: readonly Result[] = JSON.parse(answer).results;
  const moments = batch.momentsOf(results);
  if (moments.size > 0) await backdate(ctx, resources[records], moments);
  return batch.all(results);
}

/** @throws {Temporary} where the database may be there again the next time */
export function temporarily(error: unknown): never {
  const isOver =
    error instanceof Fault && (error.code === 'UNAVAILABLE' || error.code === 'CONFLICT');
  throw isOver ? new Temporary(describe(error)) : error;
}
