/** Contacts that are probably one person. */
import { authorize } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { sql } from '../../db/sql/sql.ts';
import type { DuplicateReason } from '../../generated/graphql.ts';
import { pagination, readPage } from '../../search/page.ts';
import { Portions } from '../kernel/portions.ts';
import { readAnswer } from '../kernel/read/answer.ts';
import type { SearchArguments } from '../kernel/read/page.ts';
import { select } from '../kernel/read/record.ts';
import type { RecordValues } from '../kernel/read/record_result.ts';
import { type Candidate, type Census, findCandidates, keys } from './duplicate_keys.ts';
import { inOrder, type Likeness, likenessOf, type Person, personOf } from './duplicate_reasons.ts';

/** How many contacts a group has at most: as many as one call merges. */
const mostTogether = 50;

/**
 * Which share of the list may be people who only have the same name, besides one of them: what is more doubtful is
 * left out.
 */
const wrong = 0.04;

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
 * A page of groups of contacts that are probably one person, the most probable first, in two statements.
 * @throws {Fault} INVALID_SEARCH for a page or size that cannot be read
 */
export async function listDuplicates(
  ctx: Context,
  account: unknown,
  given: Omit<SearchArguments, 'query'>,
  selection: Selection,
): Promise<DuplicatePage> {
  const accountId = authorize(ctx.viewer, account, 'contact.read');
  const { page, perPage } = readPage(given.page, given.per_page);
  const { candidates, census, isMore } = await findCandidates(ctx);
  const groups = await groupsOf(candidates, census, new Portions(accountId));
  const shown = groups.slice((page - 1) * perPage, page * perPage);
  const counted = isMore ? 'at_least' : 'exact';
  return {
    data: await withContacts(ctx, shown, selection),
    pagination: pagination(page, perPage, groups.length, shown.length, undefined, counted),
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
  const read = await readAnswer<(RecordValues | null)[]>(ctx, {
    query: () =>
      sql`SELECT '[' || string_agg(CASE WHEN r.id IS NULL THEN 'null' ELSE ${select.record('contacts', selection, accountId, 'r')} END, ',' ORDER BY wanted.place) || ']' AS data
        FROM unnest(${ids}::bigint[]) WITH ORDINALITY AS wanted(id, place)
        LEFT JOIN contacts AS r ON r.account_id = ${accountId} AND r.id = wanted.id`,
    text: 'data',
  });
  const records = read?.value ?? [];
  let place = 0;
  return groups.flatMap(({ ids: own, reasons }) => {
    const contacts = records.slice(place, place + own.length).filter((record) => record !== null);
    place += own.length;
    // One that somebody removed meanwhile is no duplicate any more.
    return contacts.length > 1 ? [{ contacts, reasons }] : [];
  });
}

interface Pair extends Likeness {
  readonly one: Person;
  readonly other: Person;
}

async function groupsOf(
  candidates: readonly Candidate[],
  census: Census,
  portions: Portions,
): Promise<readonly Group[]> {
  const pairs: Pair[] = [];
  const people = await portions.map(candidates, personOf);
  await portions.each(together(people), ([one, other]) => {
    const likeness = likenessOf(one, other, census);
    if (likeness) pairs.push({ ...likeness, one, other });
  });
  pairs.sort(byProbability);
  return united(probable(pairs));
}

const byProbability = (one: Pair, other: Pair): number =>
  one.doubt - other.doubt ||
  other.weight - one.weight ||
  one.one.id - other.one.id ||
  one.other.id - other.other.id;

/** Each two that share a key, once. */
function* together(people: readonly Person[]): Iterable<readonly [Person, Person]> {
  const seen = new Set<string>();
  for (const key of keys) {
    for (const sharing of sharers(people, key).values()) {
      for (const [at, one] of sharing.entries()) {
        for (const other of sharing.slice(at + 1)) {
          const pair = one.id < other.id ? ([one, other] as const) : ([other, one] as const);
          const name = `${pair[0].id} ${pair[1].id}`;
          if (one.id === other.id || seen.has(name)) continue;
          seen.add(name);
          yield pair;
        }
      }
    }
  }
}

function sharers(people: readonly Person[], key: (typeof keys)[number]): Map<number, Person[]> {
  const found = new Map<number, Person[]>();
  for (const person of people) {
    const values = [person[key], key === 'mailbox_key' ? person.other_mailbox_key : null];
    for (const value of values) {
      if (value === null) continue;
      const known = found.get(value);
      if (known) known.push(person);
      else found.set(value, [person]);
    }
  }
  return found;
}

/** The pairs without those that would make too much of the list doubtful. */
function probable(pairs: readonly Pair[]): readonly Pair[] {
  let doubts = 0;
  const end = pairs.findIndex(({ doubt }, at) => {
    doubts += doubt;
    return doubts > 1 + wrong * at;
  });
  return end < 0 ? pairs : pairs.slice(0, end);
}

/** Groups of all that pairs connect; as probable as the least probable pair that it takes. */
function united(pairs: readonly Pair[]): readonly Group[] {
  const groupOf = new Map<number, number[]>();
  const order: number[][] = [];
  for (const { one, other } of pairs) {
    const own = groupOf.get(one.id) ?? [one.id];
    const others = groupOf.get(other.id) ?? [other.id];
    if (own === others || own.length + others.length > mostTogether) continue;
    const all = [...own, ...others];
    for (const id of all) groupOf.set(id, all);
    order.push(all);
  }
  const reasons = new Map<number[], DuplicateReason[]>();
  for (const pair of pairs) {
    const group = groupOf.get(pair.one.id);
    if (!group || group !== groupOf.get(pair.other.id)) continue;
    reasons.set(group, [...(reasons.get(group) ?? []), ...pair.reasons]);
  }
  return order
    .filter((group) => groupOf.get(group[0] ?? 0) === group)
    .map((group) => ({
      ids: group.toSorted((one, other) => one - other),
      reasons: inOrder(reasons.get(group) ?? []),
    }));
}
