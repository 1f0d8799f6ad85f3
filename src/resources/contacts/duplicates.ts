/** Contacts that are probably one person. */
import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { sql } from '../../db/sql/sql.ts';
import type { DuplicateReason } from '../../generated/graphql.ts';
import { Portions } from '../../lib/portions.ts';
import { pagination, readPage } from '../../search/page.ts';
import { readAnswer } from '../kernel/read/answer.ts';
import type { SearchArguments } from '../kernel/read/page.ts';
import { select } from '../kernel/read/record.ts';
import type { RecordValues } from '../kernel/read/record_result.ts';
import { type Candidates, findCandidates } from './duplicate_keys.ts';
import { inOrder, type Likeness, likenessOf, type Person, personOf } from './duplicate_reasons.ts';

const max = {
  /** Contacts of a group: as many as one call merges. */
  together: 50,
  /** How often one call looks for more candidates. */
  portions: 20,
  /** Pairs that only have the same name, the least doubtful of which are listed. */
  namesakes: 10_000,
} as const;

/**
 * Which share of the list may be people who only have the same name, besides one of them: what is more doubtful is
 * left out.
 */
const wrong = 0.005;

/** Contacts that are probably one person. */
interface Group {
  /** In the order of their ids. */
  readonly ids: readonly number[];
  readonly reasons: DuplicateReason[];
}

/** A page of groups with the records of their contacts. */
export interface DuplicatePage {
  readonly data: { readonly contacts: RecordValues[]; readonly reasons: DuplicateReason[] }[];
  readonly pagination: ReturnType<typeof pagination>;
}

/**
 * A page of groups of contacts that are probably one person, the most probable first. It looks for no more than the
 * page shows, so that only the last page tells how many there are.
 * @throws {Fault} INVALID_SEARCH for a page or size that cannot be read
 */
export async function listDuplicates(
  ctx: Context,
  account: unknown,
  args: Omit<SearchArguments, 'query'>,
  selection: Selection,
): Promise<DuplicatePage> {
  authorize(ctx.viewer, account, 'contact.read');
  const { page, perPage } = readPage(args.page, args.per_page);
  const { groups, isMore } = await findGroups(ctx, page * perPage + 1);
  const pageGroups = groups.slice((page - 1) * perPage, page * perPage);
  const counted = isMore ? 'at_least' : 'exact';
  return {
    data: await withContacts(ctx, pageGroups, selection),
    pagination: pagination(page, perPage, groups.length, pageGroups.length, undefined, counted),
  };
}

async function withContacts(
  ctx: Context,
  groups: readonly Group[],
  selection: Selection,
): Promise<DuplicatePage['data']> {
  if (groups.length === 0) return [];
  const { accountId } = ctx.viewer;
  const ids = groups.flatMap((group) => group.ids);
  const answer = await readAnswer<(RecordValues | null)[]>(ctx, {
    query: () =>
      sql`SELECT '[' || string_agg(CASE WHEN r.id IS NULL THEN 'null' ELSE ${select.record('contacts', selection, accountId, 'r')} END, ',' ORDER BY wanted.place) || ']' AS data
        FROM unnest(${ids}::bigint[]) WITH ORDINALITY AS wanted(id, place)
        LEFT JOIN contacts AS r ON r.account_id = ${accountId} AND r.id = wanted.id`,
    text: 'data',
  });
  const records = answer?.value ?? [];
  let place = 0;
  return groups.flatMap(({ ids: own, reasons }) => {
    const contacts = records.slice(place, place + own.length).filter((record) => record !== null);
    place += own.length;
    // One that somebody removed meanwhile is no duplicate any more.
    return contacts.length > 1 ? [{ contacts, reasons }] : [];
  });
}

interface Pair extends Likeness {
  readonly one: number;
  readonly other: number;
}

/**
 * Groups in their order, as many as are wanted or somewhat more. The candidates come in portions, the most probable
 * first, and the groups of a portion stand behind those of the one before, whichever page is asked for. Contacts that
 * only have the same name come at the end.
 */
async function findGroups(
  ctx: Context,
  count: number,
): Promise<{ readonly groups: readonly Group[]; readonly isMore: boolean }> {
  const portions = new Portions(ctx.viewer.accountId);
  const groups: Group[] = [];
  /** Of each contact the groups that it is in already. */
  const known = new Map<number, Group[]>();
  let pairs = 0;
  let namesakes: Pair[] = [];
  for (let calls = 1, before: Candidates | undefined; ; calls += 1) {
    const candidates = await findCandidates(ctx, before);
    const { next } = candidates;
    const likely: Pair[] = [];
    const people = await peopleOf(candidates, portions);
    await portions.each(pairsOf(candidates, people), ([one, other]) => {
      const likeness = isKnown(one, other) ? undefined : likenessOf(one, other, candidates.census);
      if (!likeness) return;
      (likeness.isNameOnly ? namesakes : likely).push({
        ...likeness,
        one: one.id,
        other: other.id,
      });
    });
    pairs += likely.length;
    namesakes = namesakes.sort(byProbability).slice(0, max.namesakes);
    const isEnd = next === undefined || calls === max.portions;
    if (isEnd) likely.push(...probable(namesakes, pairs));
    for (const group of united(likely.sort(byProbability))) {
      groups.push(group);
      for (const id of group.ids) known.set(id, [...(known.get(id) ?? []), group]);
    }
    if (isEnd || groups.length >= count) return { groups, isMore: next !== undefined };
    before = candidates;
  }

  function isKnown(one: Person, other: Person): boolean {
    return known.get(one.id)?.some(({ ids }) => ids.includes(other.id)) ?? false;
  }
}

async function peopleOf(
  { people }: Pick<Candidates, 'people'>,
  portions: Portions,
): Promise<ReadonlyMap<number, Person>> {
  const byId = new Map<number, Person>();
  await portions.each(people, (one) => byId.set(one.id, personOf(one)));
  return byId;
}

/** Each two that share something, once. */
function* pairsOf(
  { blocks }: Pick<Candidates, 'blocks'>,
  people: ReadonlyMap<number, Person>,
): Iterable<readonly [Person, Person]> {
  const seen = new Set<string>();
  for (const { ids } of blocks) {
    const sharing = ids.toSorted((one, other) => one - other).flatMap((id) => people.get(id) ?? []);
    for (const [at, one] of sharing.entries()) {
      for (const other of sharing.slice(at + 1)) {
        const pair = `${one.id} ${other.id}`;
        if (seen.has(pair)) continue;
        seen.add(pair);
        yield [one, other];
      }
    }
  }
}

const byProbability = (one: Pair, other: Pair): number =>
  one.doubt - other.doubt ||
  other.weight - one.weight ||
  one.one - other.one ||
  one.other - other.other;

/**
 * The pairs without those that would make too much of the list doubtful.
 * @param before how many stand before them, of which there is no doubt
 */
function probable(pairs: readonly Pair[], before: number): readonly Pair[] {
  let doubts = 0;
  const end = pairs.findIndex(({ doubt }, at) => {
    doubts += doubt;
    return doubts > 1 + wrong * (before + at);
  });
  return end < 0 ? pairs : pairs.slice(0, end);
}

/** Groups of all that pairs connect; as probable as the least probable pair that it takes. */
function united(pairs: readonly Pair[]): readonly Group[] {
  const groupOf = new Map<number, number[]>();
  const order: number[][] = [];
  for (const { one, other } of pairs) {
    const own = groupOf.get(one) ?? [one];
    const others = groupOf.get(other) ?? [other];
    if (own === others || own.length + others.length > max.together) continue;
    const all = [...own, ...others];
    for (const id of all) groupOf.set(id, all);
    order.push(all);
  }
  const reasons = new Map<number[], DuplicateReason[]>();
  for (const pair of pairs) {
    const group = groupOf.get(pair.one);
    if (!group || group !== groupOf.get(pair.other)) continue;
    reasons.set(group, [...(reasons.get(group) ?? []), ...pair.reasons]);
  }
  return order
    .filter((group) => groupOf.get(group[0] ?? 0) === group)
    .map((group) => ({
      ids: group.toSorted((one, other) => one - other),
      reasons: inOrder(reasons.get(group) ?? []),
    }));
}
