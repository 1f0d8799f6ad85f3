/** Reading batches: each record as the single call reads its body. */
import type { UnknownInput } from '../errors/errors.ts';
import { bodyObject } from '../http/body.ts';
import { isJsonObject } from '../json/json.ts';
import { bodySorter, nameSorter } from './body.ts';
import { argumentsBeside } from './operations.ts';
import { parameters, queryString } from './query_string.ts';
import type { Readable, RouteCall } from './request.ts';
import type { Route } from './routes.ts';
import { classifyUnknown } from './unknown_parameters.ts';

const nothing = {};

/** @returns what reads the requests of a route that takes batches; `strict` as of a single call */
export function batchReader(route: Route): (request: Readable, strict: boolean) => RouteCall {
  const sortBatch = nameSorter(argumentsBeside(route).map(({ name }) => name));
  const sorts = new Map(
    Object.entries(route.records ?? {}).map(([operation, of]) => [operation, bodySorter(of)]),
  );
  return (request, strict) => {
    const body = bodyObject(request.body);
    const url = parameters(queryString(request));
    const { misplaced, ignored } = classifyUnknown(sortBatch(body), body, url, strict);
    const { operation, records, atomic, dry_run } = body;
    const args = { ...request.params, operation, records, atomic, dry_run };
    const sort = typeof operation === 'string' ? sorts.get(operation) : undefined;
    if (!sort || !Array.isArray(records)) return { args, misplaced, ignored };
    const misplacedIn = new Map<number, readonly UnknownInput[]>();
    const names = new Set(ignored);
    const inputs = records.map((record: unknown, index) => {
      if (!isJsonObject(record)) return record;
      const sorted = sort(record);
      if (sorted.unknown.length > 0) {
        const aside = classifyUnknown(sorted, record, nothing, strict);
        misplacedIn.set(index, aside.misplaced);
        for (const name of aside.ignored) names.add(name);
      }
      // The path of a single call has it.
      return 'id' in record ? { ...sorted.input, id: record.id } : sorted.input;
    });
    return { args: { ...args, records: inputs }, misplaced, misplacedIn, ignored: [...names] };
  };
}
