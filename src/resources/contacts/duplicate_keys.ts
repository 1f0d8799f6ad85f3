/**
 * Contacts that have something in common which few others have: the candidates for being one person. A trigger
 * (`key_contact_2`) writes hashes of what they may share, and an index of each has those that are equal together.
 */
import type { UnitOfWork } from '../../context/context.ts';
import { empty, join, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { readAnswer } from '../kernel/read/answer.ts';

/**
 * What candidates share, the strongest first: how many contacts at most may share a value and still be compared, since
 * more share it by chance.
 */
const shared = [
  { name: 'mailbox', max: 20 },
  { name: 'other_mailbox', max: 20 },
  { name: 'phone', max: 20 },
  { name: 'name', max: 10 },
  { name: 'colleague', max: 40 },
] as const;

type SharedField = (typeof shared)[number];

/** Bounds of what one statement looks at. */
const max = {
  /** Values that several contacts share. */
  blocks: 500,
  /** Entries of one index: those of a larger account beyond are not looked at. */
  entries: 1_000_000,
  /** Addresses in other fields. */
  others: 50_000,
  /** Contacts among whom it is counted how common names are: those of any names. */
  counted: 100_000,
} as const;

/** A contact with what may be compared of it. */
export interface Candidate {
  readonly id: number;
  readonly full_name: string;
  /** Its name, folded. */
  readonly folded: string;
  readonly email: string;
  readonly phone: string;
  /** An e-mail address in another field of it. */
  readonly other_email: string | null;
  /** Whether the domain of its address is one for colleagues, rather than for everybody. */
  readonly has_colleagues: boolean;
  /** How many contacts have a name that begins with the same word. */
  readonly first_count: number;
  /** How many have one that ends with the same. */
  readonly last_count: number;
}

/** How many contacts there are, and the share of these that has an e-mail and a phone. */
export interface Census {
  readonly count: number;
  readonly mails: number;
  readonly phones: number;
}

/** A value that several contacts share. */
interface Block {
  /** Its place in {@link shared}. */
  readonly at: number;
  readonly key: number;
  readonly ids: readonly number[];
}

export interface Candidates {
  /** Contacts that share something, together. */
  readonly blocks: readonly Block[];
  readonly people: readonly Candidate[];
  readonly census: Census;
  /** What the account's contacts were counted by; undefined where that does not matter yet. */
  readonly counts: Counts | undefined;
  /** Where the next ones are; undefined where there are none. */
  readonly next: Block | undefined;
}

/**
 * Contacts of an account that share something which few others have, in one statement: so many values, from the one
 * behind those `before`. It reads each index in its order, so that nothing is sorted, and stops at the last of these
 * values. The contacts are counted once, however many portions of candidates follow.
 */
export async function findCandidates(
  ctx: UnitOfWork,
  before: Pick<Candidates, 'counts' | 'next'> | undefined,
): Promise<Candidates> {
  const answer = await readAnswer<BlocksRow>(ctx, {
    query: () => candidatesOf(ctx.viewer.accountId, before?.next, before?.counts === undefined),
    text: 'candidates',
  });
  if (!answer) throw new Error('a count returned nothing');
  const { blocks, people } = answer.value;
  const counts = before?.counts ?? answer.value.counts ?? undefined;
  const { share, firsts, lasts, ...census } = counts ?? uncounted;
  const countIn = (all: Counts['firsts']) => (key: number | null) =>
    Math.max(1, (all[String(key)] ?? 0) / share);
  const [first, last] = [countIn(firsts), countIn(lasts)];
  return {
    blocks,
    people: people.map(({ first_key, last_key, ...row }) => ({
      ...row,
      first_count: first(first_key),
      last_count: last(last_key),
    })),
    census,
    counts,
    next: blocks.length < max.blocks ? undefined : blocks.at(-1),
  };
}

/** As it is read. */
interface BlocksRow {
  readonly blocks: readonly Block[];
  readonly people: readonly PersonRow[];
  readonly counts: Counts | null;
}

interface PersonRow extends Omit<Candidate, 'first_count' | 'last_count'> {
  readonly first_key: number | null;
  readonly last_key: number | null;
}

interface Counts extends Census {
  /** Which share of the contacts was counted. */
  readonly share: number;
  /** How many of these there are by the key of the first word of their names, and by that of the last. */
  readonly firsts: Readonly<Record<string, number>>;
  readonly lasts: Readonly<Record<string, number>>;
}

const uncounted: Counts = { count: 1, mails: 0, phones: 0, share: 1, firsts: {}, lasts: {} };

const bound = (number: number): Sql => raw(String(number));

/** Values of one kind that several contacts share, in their order. */
function blocksOf(accountId: number, { name, max: together }: SharedField, after?: Block): Sql {
  const key = raw(`${name}_key`);
  const own = sql`FROM contacts WHERE account_id = ${accountId}`;
  const isShared = raw(
    name === 'name' || name === 'colleague' ? `${name}_key <> 0` : `${name}_key IS NOT NULL`,
  );
  const behind = after ? sql`AND ${key} > ${after.key}::integer` : empty;
  const entries = (columns: Sql, limit: number) =>
    sql`(SELECT ${key} AS key, id${columns} ${own} AND ${isShared} ${behind} ORDER BY ${key} LIMIT ${bound(limit)}) AS entry`;
  const several = sql`count(*) BETWEEN 2 AND ${bound(together)}`;
  switch (name) {
    case 'other_mailbox':
      return sql`SELECT mentioning.key, mentioning.ids || found.ids AS ids FROM (
          SELECT key, array_agg(id) AS ids FROM ${entries(empty, max.others)}
          GROUP BY key HAVING count(*) <= ${bound(together)} ORDER BY key
        ) AS mentioning CROSS JOIN LATERAL (SELECT array_agg(id) AS ids FROM (
          SELECT id ${own} AND mailbox_key = mentioning.key AND id <> ALL(mentioning.ids) LIMIT ${bound(together)}
        ) AS one) AS found WHERE found.ids IS NOT NULL`;
    case 'colleague':
      // Names of whom nothing is the same are not similar.
      return sql`SELECT key, ids FROM (
          SELECT key, array_agg(id) AS ids, array_agg(first_key) AS firsts, array_agg(last_key) AS lasts
          FROM ${entries(raw(', first_key, last_key'), max.entries)} GROUP BY key HAVING ${several} ORDER BY key
        ) AS block
        WHERE cardinality(ids) > (SELECT count(DISTINCT one) FROM unnest(firsts) AS one)
          OR cardinality(ids) > (SELECT count(DISTINCT one) FROM unnest(lasts) AS one)`;
    default:
      // Most values are nobody else's, so that it is cheaper to count first.
      return sql`SELECT key, ARRAY(SELECT id ${own} AND ${key} = several.key) AS ids FROM (
          SELECT key FROM ${entries(empty, max.entries)} GROUP BY key HAVING ${several} ORDER BY key
        ) AS several`;
  }
}

/** How many of those that are counted have each value of a key, as far as several have it. */
const countsOf = (key: 'first_key' | 'last_key'): Sql =>
  sql`(SELECT coalesce(json_object_agg(key, count), '{}'::json) FROM (
    SELECT ${raw(key)} AS key, count(*) AS count FROM counted
    WHERE ${raw(key)} IS NOT NULL GROUP BY ${raw(key)} HAVING count(*) > 1) AS several)`;

/** @param isCounting whether the contacts are counted, once it matters how common names are */
function candidatesOf(accountId: number, after: Block | undefined, isCounting: boolean): Sql {
  const own = sql`FROM contacts WHERE account_id = ${accountId}`;
  const branches = shared.flatMap((one, at) =>
    at < (after?.at ?? 0)
      ? []
      : sql`(SELECT ${raw(String(at))} AS at, key, ids FROM (${blocksOf(accountId, one, at === after?.at ? after : undefined)}) AS ${raw(one.name)})`,
  );
  const counting = sql`, counted AS MATERIALIZED (
      SELECT first_key, last_key, phone_key, mailbox_key ${own} AND name_key IS NOT NULL
      ORDER BY name_key LIMIT ${bound(max.counted)}
    ), census AS (SELECT count(*) AS counted, count(mailbox_key) AS mails, count(phone_key) AS phones FROM counted),
    size AS (SELECT CASE WHEN counted < ${bound(max.counted)} THEN greatest(counted, 1) ELSE (
      SELECT count(*) FROM (SELECT ${own} LIMIT ${bound(max.entries)}) AS contact) END AS count FROM census)`;
  const counts = sql`CASE WHEN EXISTS (SELECT FROM block WHERE at >= ${raw(String(named))}) THEN (
      SELECT json_build_object('count', size.count, 'mails', mails::float / greatest(counted, 1),
        'phones', phones::float / greatest(counted, 1), 'share', greatest(counted, 1)::float / size.count,
        'firsts', ${countsOf('first_key')}, 'lasts', ${countsOf('last_key')}) FROM census, size) END`;
  return sql`WITH block AS MATERIALIZED (
      SELECT at, key, ids FROM (${join(branches, ' UNION ALL ')}) AS shared LIMIT ${bound(max.blocks)}
    ), person AS MATERIALIZED (
      SELECT id, full_name, coalesce(split_part(folded, 'Q Q', 2), fold_text_1(full_name)) AS folded, email, phone,
        CASE WHEN other_mailbox_key IS NOT NULL THEN other_email_1(full_name, phone, custom_attributes::text) END AS other_email,
        colleague_key <> 0 AS has_colleagues, first_key, last_key
      ${own} AND id = ANY(ARRAY(SELECT DISTINCT unnest(ids) FROM block))
    )${isCounting ? counting : empty}
    SELECT json_build_object(
      'blocks', (SELECT coalesce(json_agg(row_to_json(block)), '[]'::json) FROM block),
      'people', (SELECT coalesce(json_agg(row_to_json(person)), '[]'::json) FROM person),
      'counts', ${isCounting ? counts : raw('NULL')}
    )::text AS candidates`;
}

/** From which kind on it matters how common names are. */
const named = shared.findIndex(({ name }) => name === 'name');
