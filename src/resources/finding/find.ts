/** What people look for, among contacts, deals, products and users at once. */
import { authorize, rightOf } from '../../auth/policy.ts';
import { allows } from '../../auth/scopes.ts';
import type { Viewer } from '../../auth/viewer.ts';
import { type Context, faultsOf } from '../../context/context.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { join, name, type Sql, sql } from '../../db/sql/sql.ts';
import { blank } from '../../errors/codes.ts';
import type { Faults } from '../../errors/errors.ts';
import type {
  FoundContact,
  FoundDeal,
  FoundProduct,
  FoundRecords,
  FoundUser,
} from '../../generated/graphql.ts';
import { bestIds, type FirstMatches, seenFirst } from '../../search/best.ts';
import { highlightsIn } from '../../search/highlights.ts';
import { everything, type Search, type Words } from '../../search/search.ts';
import { records } from '../../search/statement.ts';
import { isBlank, Unreadable } from '../../search/values.ts';
import { readWords, withWords } from '../../search/words.ts';
import { readLimit } from '../kernel/read/limit.ts';
import { select } from '../kernel/read/record.ts';
import { findSimilar } from '../kernel/read/similar.ts';
import { shapes } from '../shapes.ts';

interface FindArguments {
  readonly q?: unknown;
  /** How many of each kind: 5 unless given, up to 20. */
  readonly limit?: unknown;
}

type Kind = 'contacts' | 'deals' | 'products' | 'users';

/** Records without the parts that were typed. */
type Plain<Found> = readonly Omit<Found, 'highlights'>[];

/** What was read of each kind that may be. */
interface Lists {
  readonly contacts?: Plain<FoundContact>;
  readonly deals?: Plain<FoundDeal>;
  readonly products?: Plain<FoundProduct>;
  readonly users?: Plain<FoundUser>;
}

const perKind = { default: 5, max: 20 };

const fields = (...names: readonly string[]): Selection => ({ fields: names, relations: [] });

/** What is shown of each, and the fields among these that are highlighted, by what they are called in an answer. */
const columns: Readonly<
  Record<Kind, { readonly selection: Selection; readonly highlighted: readonly string[] }>
> = {
  contacts: {
    selection: fields('id', 'full_name', 'email', 'phone'),
    highlighted: ['full_name', 'email', 'phone'],
  },
  deals: {
    selection: {
      fields: ['id', 'name', 'status'],
      relations: [
        { key: 'stage', association: 'stage', selection: fields('id', 'name') },
        { key: 'contact', association: 'contact', selection: fields('id', 'full_name') },
      ],
    },
    highlighted: ['name', 'contact.full_name'],
  },
  products: {
    selection: fields('id', 'name', 'identifier'),
    highlighted: ['name', 'identifier'],
  },
  users: { selection: fields('id', 'full_name', 'email'), highlighted: ['full_name', 'email'] },
};

const kinds: readonly Kind[] = ['contacts', 'deals', 'products', 'users'];

/** Deals are found by the names of their contacts, too. */
const rights = {
  contacts: ['contact.read'],
  deals: ['deal.read', 'contact.read'],
  products: ['product.read'],
  users: ['user.read'],
} as const;

const mayRead = ({ scopes }: Viewer, kind: Kind): boolean =>
  rights[kind].every((action) => allows(scopes, rightOf(action).scope));

/**
 * The records of each kind that match best what was typed; where there are none of any kind, what is like it.
 * @throws {Fault} INVALID_SEARCH for a `q` that is blank or cannot be read, and for a limit over 20
 */
export async function find(
  ctx: Context,
  account: unknown,
  args: FindArguments,
): Promise<FoundRecords> {
  authorize(ctx.viewer, account, 'record.find');
  const faults = faultsOf(ctx, 'INVALID_SEARCH');
  const typed = readTyped(args.q, ctx.viewer, faults);
  const limit = readLimit('limit', args.limit, perKind.max, faults) ?? perKind.default;
  faults.throwIfAny();
  const readable = kinds.filter((kind) => mayRead(ctx.viewer, kind));
  const request = (kind: Kind) => ({
    shape: kind,
    shapes,
    accountId: ctx.viewer.accountId,
    words: typed[kind],
    limit,
  });
  const seen = await together<FirstMatches>(ctx, readable, (kind) => seenFirst(request(kind)));
  const best = await read(ctx, readable, typed, (kind) => {
    const first = seen[kind];
    return first && !isNothing(first) ? bestIds(request(kind), first) : undefined;
  });
  if (Object.values(best).some((list) => list.length > 0)) return answer(best, typed, 'exact');
  const similar: Partial<Record<Kind, readonly number[]>> = {};
  const findIn = async (kind: Kind) => {
    const ids = await findSimilar(ctx, searchOf(kind, typed[kind]), limit);
    if (ids.length > 0) similar[kind] = ids;
  };
  await Promise.all(readable.map(findIn));
  if (Object.keys(similar).length === 0) return answer(best, typed, 'exact');
  const like = await read(
    ctx,
    readable,
    typed,
    (kind) => similar[kind] && sql`${similar[kind]}::bigint[]`,
  );
  return answer(like, typed, 'similar');
}

type WordsByKind = Readonly<Record<Kind, Words>>;

function readTyped(q: unknown, { defaultCountry }: Viewer, faults: Faults): WordsByKind {
  const wordsOf = (kind: Kind) =>
    readWords(q, (typed) => shapes[kind].numberForms?.(typed, defaultCountry) ?? []);
  const words = wordsOf('products');
  if (words instanceof Unreadable) faults.add('q', words);
  else if (!words || isBlank(q)) faults.add('q', blank);
  const nothing: Words = { all: [], phrase: '', others: [], numbers: [] };
  const of = (kind: Kind): Words => {
    const typedWords = faults.any ? undefined : wordsOf(kind);
    return typedWords && !(typedWords instanceof Unreadable) ? typedWords : nothing;
  };
  return {
    contacts: of('contacts'),
    deals: of('deals'),
    products: of('products'),
    users: of('users'),
  };
}

const searchOf = (kind: Kind, words: Words): Search =>
  withWords(words, shapes[kind], { shape: kind, where: everything, sorts: [] });

const isNothing = ({ isAll, ranked }: FirstMatches): boolean => isAll && ranked.length === 0;

/**
 * The records of ids by kind.
 * @param idsOf undefined where there are none
 */
async function read(
  ctx: Context,
  readable: readonly Kind[],
  typed: WordsByKind,
  idsOf: (kind: Kind) => Sql | undefined,
): Promise<Lists> {
  const { accountId } = ctx.viewer;
  const lists = await together<Plain<object>>(ctx, readable, (kind) => {
    const request = {
      shape: kind,
      shapes,
      accountId,
      search: searchOf(kind, typed[kind]),
      page: 1,
      perPage: perKind.max,
      record: (alias: string) => select.record(kind, columns[kind].selection, accountId, alias),
    };
    const ids = idsOf(kind);
    return ids && sql`(SELECT data FROM ${records(request, ids)} AS shown)`;
  });
  return Object.fromEntries(readable.map((kind) => [kind, lists[kind] ?? []]));
}

/**
 * What several kinds have, read by one statement.
 * @param partOf SQL of a JSON text, undefined where nothing is asked
 */
async function together<Value>(
  ctx: Context,
  readable: readonly Kind[],
  partOf: (kind: Kind) => Sql | undefined,
): Promise<Partial<Readonly<Record<Kind, Value>>>> {
  const columns = readable.flatMap((kind) => {
    const part = partOf(kind);
    return part ? [sql`${part} AS ${name(kind)}`] : [];
  });
  if (columns.length === 0) return {};
  const [row] = await ctx.db.query<Partial<Record<Kind, string>>>(sql`SELECT ${join(columns)}`, {
    prepare: 'never',
    reads: true,
  });
  if (!row) throw new Error('a search returned nothing');
  return Object.fromEntries(Object.entries(row).map(([kind, text]) => [kind, JSON.parse(text)]));
}

function answer(lists: Lists, typed: WordsByKind, match: FoundRecords['match']): FoundRecords {
  const highlighted = <T extends object>(kind: Kind, list: readonly T[] | undefined) =>
    list?.map((record) => ({
      ...record,
      highlights: [...highlightsIn(record, columns[kind].highlighted, typed[kind])],
    })) ?? null;
  return {
    contacts: highlighted('contacts', lists.contacts),
    deals: highlighted('deals', lists.deals),
    products: highlighted('products', lists.products),
    users: highlighted('users', lists.users),
    match,
  };
}
