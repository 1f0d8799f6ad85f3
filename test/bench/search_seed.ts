/**
 * Grows a migrated database to a number of contacts in 50 accounts, of which the first holds a
 * quarter of everything, spread over the tables as in a service that has grown.
 */
import type { Queryable } from '../../src/db/database.ts';
import { raw } from '../../src/db/sql/sql.ts';

/** The account that holds a quarter. */
export const largest = 1;
const accounts = 50;
const stages = 8;

const foundation = [
  // What is measured reads; writing what it reads need not survive a power cut.
  'ALTER SYSTEM SET fsync = off',
  'ALTER SYSTEM SET full_page_writes = off',
  "ALTER SYSTEM SET max_wal_size = '8GB'",
  'SELECT pg_reload_conf()',
  `INSERT INTO accounts (id, name) SELECT i, 'Account ' || i FROM generate_series(1, ${accounts}) i`,
  `INSERT INTO users (id, account_id, email, role)
    SELECT i, i, 'admin' || i || '@example.com', 'admin' FROM generate_series(1, ${accounts}) i`,
  `INSERT INTO pipelines (id, account_id, name)
    SELECT i, i, 'Sales' FROM generate_series(1, ${accounts}) i`,
  `INSERT INTO stages (id, account_id, pipeline_id, name, position)
    SELECT (a - 1) * ${stages} + s, a, a, 'Stage ' || s, s
    FROM generate_series(1, ${accounts}) a, generate_series(1, ${stages}) s`,
];

/** Four syllables, made of a number: a name that few others share. */
const surname = (number: string) =>
  [0, 1, 2, 3]
    .map(
      (at) =>
        `substr('bcdfghjklmnpqrstvwxz', 1 + get_byte(h, ${2 * at}) % 20, 1) || substr('aeiou', 1 + get_byte(h, ${2 * at + 1}) % 5, 1)`,
    )
    .join(' || ')
    .replace(/^/, `(SELECT `)
    .replace(/$/, ` FROM decode(md5((${number})::text), 'hex') AS h)`);

const accountOf = (i: string) =>
  `CASE WHEN ${i} % 4 = 0 THEN ${largest} ELSE 2 + ${i} % ${accounts - 1} END`;

/** A number below `limit` that follows no order. */
const scattered = (i: string, limit: number) => `((${i})::bigint * 7919 % ${limit})`;

/** Names go round in a number of steps that accounts do not go round in. */
const odd = (steps: number) => Math.ceil(steps) | 1;

/** Ten contacts of each stretch share a surname, and ten deals a name; every fourth has a deal. */
const stretch = (from: number, to: number) => [
  `INSERT INTO contacts (id, account_id, full_name, email, phone, label_list, custom_attributes, created_at)
    SELECT i, ${accountOf('i')}, first || ' ' || initcap(last), lower(first) || '.' || last || i || '@example.com',
      '+55' || lpad(${scattered('i', 999_999_937)}::text, 9, '0'),
      ARRAY['label ' || i % 30, 'list ' || i % 7],
      json_build_object('city', 'City ' || i % 200, 'score', i % 100),
      timestamptz '2023-01-01' + ${scattered('i', 1_440_000)} * interval '1 minute'
    FROM (SELECT i,
        (ARRAY['Ana','Bruno','Carla','Diego','Elisa','Fabio','Gina','Hugo'])[1 + i / 4 % 8] AS first,
        ${surname(`${from} + i % ${odd((to - from) / 10)}`)} AS last
      FROM generate_series(${from + 1}, ${to}) i) AS person`,
  `INSERT INTO deals (id, account_id, contact_id, pipeline_id, stage_id, created_by_id, name, status, rank)
    SELECT i, a, i, a, (a - 1) * ${stages} + 1 + i / 7 % ${stages}, a,
      initcap(${surname(`'deal' || ${from} + i % ${odd((to - from) / 40)}`)}) || ' renewal',
      CASE i % 5 WHEN 4 THEN 'won' ELSE 'open' END, i
    FROM (SELECT i, ${accountOf('i')} AS a FROM generate_series(${from + 1}, ${to}) i
      WHERE i * 31 % 16 IN (0, 3, 6, 9)) AS t`,
];

/** @param from contacts that are there; 0 when the database is empty */
export async function grow(db: Queryable, from: number, to: number): Promise<void> {
  const statements = [
    ...(from === 0 ? foundation : []),
    ...stretch(from, to),
    'VACUUM (ANALYZE)',
    // Else the writing of what has grown goes on for minutes, beside what is measured.
    'CHECKPOINT',
  ];
  for (const statement of statements) await db.query(raw(statement));
}

/** What searches look for: of the largest account, a few of each kind. */
export interface Samples {
  readonly surnames: readonly string[];
  readonly fullNames: readonly string[];
  readonly phones: readonly string[];
  readonly emails: readonly string[];
  readonly deals: readonly string[];
  /** Lists of twenty. */
  readonly ids: readonly (readonly number[])[];
}

interface Sample {
  readonly id: number;
  readonly full_name: string;
  readonly phone: string;
  readonly email: string;
}

export async function takeSamples(db: Queryable): Promise<Samples> {
  const people = await db.query<Sample>(
    raw(`SELECT id, full_name, phone, email FROM contacts WHERE account_id = ${largest}
      ORDER BY md5(id::text) LIMIT 400`),
  );
  const deals = await db.query<{ name: string }>(
    raw(`SELECT name FROM deals WHERE account_id = ${largest} ORDER BY md5(id::text) LIMIT 20`),
  );
  const few = people.slice(0, 20);
  return {
    surnames: few.map((person) => person.full_name.replace(/^\S+ /, '').toLowerCase()),
    fullNames: few.map((person) => person.full_name),
    phones: few.map((person) => person.phone.slice(-7)),
    emails: few.map((person) => person.email),
    deals: deals.map(({ name }) => name.replace(/ .*/, '').toLowerCase()),
    ids: few.map((_, at) => people.slice(20 * at, 20 * at + 20).map(({ id }) => id)),
  };
}
