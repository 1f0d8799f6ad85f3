import type { Context } from '../../context.ts';
import type { Selection, ShapeName } from '../../db/shape.ts';
import { Fault } from '../../errors.ts';
import { pagination, readPage } from '../../search/page.ts';
import { parseSearch } from '../../search/parse.ts';
import type { Sort } from '../../search/search.ts';
import { searchStatement } from '../../search/statement.ts';
import { readAnswer } from '../answer.ts';
import { shapes } from '../shapes.ts';
import { type Stored, select } from './record.ts';

/** What a search is given, as the client sent it. */
export interface SearchArguments {
  readonly query?: unknown;
  readonly page?: unknown;
  readonly per_page?: unknown;
}

export interface Page {
  readonly data: Stored[];
  readonly pagination: ReturnType<typeof pagination>;
}

/**
 * One page of the records that match, and how many match in all, in one statement.
 * @param order for a query that does not sort; by id when not given
 * @throws {Fault} INVALID_SEARCH naming every key that cannot be read; VALIDATION_FAILED when the
 *   page is too large for an answer
 */
export async function getPage(
  ctx: Context,
  shape: ShapeName,
  search: SearchArguments,
  selection: Selection,
  order: readonly Sort[] = [],
): Promise<Page> {
  const { query, page, perPage } = readSearch(search, shape);
  const read = await readAnswer<Stored[], { count: number }>(
    ctx,
    {
      whole: () =>
        searchStatement({
          shape,
          shapes,
          accountId: ctx.viewer.accountId,
          search: query.sorts.length > 0 ? query : { ...query, sorts: order },
          page,
          perPage,
          record: (alias) => select.record(shape, selection, alias, {}, 'beside'),
        }),
      text: 'data',
      others: ['count'],
    },
    { named: 'when frequent', shares: ctx.stored },
  );
  const data = read?.value ?? [];
  return { data, pagination: pagination(page, perPage, read?.row.count ?? 0, data.length) };
}

/** Reads query and page alike before either is refused, so that all faults are told together. */
function readSearch(search: SearchArguments, shape: ShapeName) {
  const faults: Fault[] = [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(error);
      return undefined;
    }
  };
  const query = attempt(() => parseSearch(search.query, shape, shapes));
  const page = attempt(() => readPage(search.page, search.per_page));
  if (query && page) return { query, ...page };
  throw new Fault(
    'INVALID_SEARCH',
    faults.flatMap((fault) => fault.messages),
    Object.fromEntries(faults.flatMap((fault) => Object.entries(fault.fields ?? {}))),
  );
}
