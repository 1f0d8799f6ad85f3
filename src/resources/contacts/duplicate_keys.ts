/**
 * Contacts that have something in common which few others have: the candidates for being one person. A trigger
 * (`key_contact_1`) writes hashes of what they may share, and an index of each has those that are equal together.
 */
import type { UnitOfWork } from '../../context/context.ts';
import { join, name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { keysOf } from '../../lib/object_keys.ts';
import { readAnswer } from '../kernel/read/answer.ts';

/**
 * What is hashed: how many contacts at most may share a value and still be compared, since more share it by chance, and
 * of how many values.
 */
const shared = {
  name_key: { contacts: 10, values: 4000 },
  phone_key: { contacts: 20, values: 2500 },
  mailbox_key: { contacts: 20, values: 2500 },
  start_key: { contacts: 10, values: 2500 },
  end_key: { contacts: 10, values: 2500 },
} as const;

export type Key = keyof typeof shared;

export const keys = keysOf(shared);

/** Bounds of what one call looks at. */
const most = {
  /** Entries of one index: those of a larger account beyond are not looked at. */
  entries: 1_000_000,
  /** Addresses in other fields, and how many of these are those of contacts. */
  others: 20_000,
  mentioned: 2500,
  /** Contacts among whom it is counted how common names are: those of any names. */
  counted: 100_000,
} as const;

/** A contact with what may be compared of it; contacts of which a key is equal are to be compared. */
export interface Candidate extends Readonly<Record<Key | 'other_mailbox_key', number | null>> {
  readonly id: number;
  readonly full_name: string;
  /** Its name, folded. */
  readonly folded: string;
  readonly email: string;
  readonly phone: string;
  /** An e-mail address in another field of it. */
  readonly other_email: string | null;
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

export interface Candidates {
  readonly candidates: readonly Candidate[];
  readonly census: Census;
  /** Whether a bound was met, so that there may be more. */
  readonly isMore: boolean;
}

/**
 * The contacts of an account that share something which few others have, in one statement. It reads each index in its
 * order, so that nothing is sorted or kept, up to as many values as are compared, and the rows of these alone.
 */
export async function findCandidates(ctx: UnitOfWork): Promise<Candidates> {
  const read = await readAnswer<Row[], Counts>(ctx, {
    query: () => candidatesOf(ctx.viewer.accountId),
    text: 'candidates',
    others: ['isMore', 'count', 'mails', 'phones', 'share', 'firsts', 'lasts'],
  });
  if (!read) throw new Error('a count returned nothing');
  const { isMore, share, firsts, lasts, ...census } = read.row;
  const countIn = (text: string) => {
    const counts: Readonly<Record<string, number>> = JSON.parse(text);
    return (key: number | null) => Math.max(1, (counts[String(key)] ?? 0) / share);
  };
  const [first, last] = [countIn(firsts), countIn(lasts)];
  const candidates = read.value.map(({ first_key, last_key, ...row }) => ({
    ...row,
    first_count: first(first_key),
    last_count: last(last_key),
  }));
  return { candidates, census, isMore };
}

/** As it is read. */
interface Row extends Omit<Candidate, 'first_count' | 'last_count'> {
  readonly first_key: number | null;
  readonly last_key: number | null;
}

interface Counts extends Census {
  readonly isMore: boolean;
  /** Which share of the contacts was counted. */
  readonly share: number;
  /** Counts by key, as JSON. */
  readonly firsts: string;
  readonly lasts: string;
}

const bound = (number: number): Sql => raw(String(number));

/** How many of those that are counted have each value of a key, as far as several have it. */
const countsOf = (key: 'first_key' | 'last_key'): Sql =>
  sql`(SELECT coalesce(json_object_agg(key, count), '{}'::json) FROM (
    SELECT ${name(key)} AS key, count(*) AS count FROM counted
    WHERE ${name(key)} IN (SELECT ${name(key)} FROM person) GROUP BY ${name(key)} HAVING count(*) > 1) AS several)::text`;

function candidatesOf(accountId: number): Sql {
  const own = sql`FROM contacts WHERE account_id = ${accountId}`;
  const groups = keys.map((key) => {
    const column = name(key);
    const entries = sql`SELECT ${column}, id ${own} AND ${column} ${raw(key === 'name_key' ? '<> 0' : 'IS NOT NULL')}
      ORDER BY ${column} LIMIT ${bound(most.entries)}`;
    return sql`${name(`by_${key}`)} AS MATERIALIZED (SELECT array_agg(id) AS ids FROM (${entries}) AS entry
      GROUP BY ${column} HAVING count(*) BETWEEN 2 AND ${bound(shared[key].contacts)} LIMIT ${bound(shared[key].values)})`;
  });
  const ids = keys.map((key) => sql`SELECT unnest(ids) FROM ${name(`by_${key}`)}`);
  const full = keys.map(
    (key) => sql`(SELECT count(*) >= ${bound(shared[key].values)} FROM ${name(`by_${key}`)})`,
  );
  return sql`WITH ${join(groups)}, elsewhere AS MATERIALIZED (
      SELECT other_mailbox_key, id ${own} AND other_mailbox_key IS NOT NULL ORDER BY other_mailbox_key LIMIT ${bound(most.others)}
    ), mentioned AS MATERIALIZED (
      SELECT mentioning.id, found.id AS found FROM elsewhere AS mentioning JOIN contacts AS found
        ON found.account_id = ${accountId} AND found.mailbox_key = mentioning.other_mailbox_key AND found.id <> mentioning.id
      LIMIT ${bound(most.mentioned)}
    ), candidate AS MATERIALIZED (
      ${join(ids, ' UNION ')} UNION SELECT id FROM mentioned UNION SELECT found FROM mentioned
    ), counted AS MATERIALIZED (
      SELECT first_key, last_key, phone_key, mailbox_key ${own} AND name_key IS NOT NULL ORDER BY name_key LIMIT ${bound(most.counted)}
    ), person AS MATERIALIZED (
      SELECT r.* FROM contacts AS r WHERE r.account_id = ${accountId} AND r.id = ANY(ARRAY(SELECT * FROM candidate))
    ), census AS (SELECT count(*) AS counted, count(mailbox_key) AS mails, count(phone_key) AS phones FROM counted),
    size AS (SELECT greatest(count(*), 1) AS count FROM (SELECT ${own} LIMIT ${bound(most.entries)}) AS contact)
    SELECT ${join(full, ' OR ')} OR (SELECT count(*) >= ${bound(most.others)} FROM elsewhere) AS "isMore", size.count,
      mails::float / greatest(counted, 1) AS mails, phones::float / greatest(counted, 1) AS phones,
      counted::float / size.count AS share, ${countsOf('first_key')} AS firsts, ${countsOf('last_key')} AS lasts,
      (SELECT coalesce(json_agg(row_to_json(one)), '[]'::json) FROM (
        SELECT id, full_name, coalesce(split_part(folded, 'Q Q', 2), fold_text_1(full_name)) AS folded, email, phone,
          CASE WHEN other_mailbox_key IS NOT NULL THEN other_email_1(full_name, phone, custom_attributes::text) END AS other_email,
          ${join(keys.map(name))}, other_mailbox_key, first_key, last_key
        FROM person
      ) AS one)::text AS candidates
    FROM census, size`;
}
