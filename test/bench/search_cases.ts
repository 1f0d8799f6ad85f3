/** The searches that are measured, each beside the conditions that one would write by hand. */
import type { Samples } from './search_seed.ts';

export interface SearchCase {
  readonly name: string;
  /** What is promised of it, beside what is of every search. */
  readonly promise?: 'selective' | 'short' | 'first page' | 'page 1,000';
  readonly page?: number;
  /** The query as a client sends it, with the nth value. */
  readonly query: (samples: Samples, n: number) => Readonly<Record<string, unknown>>;
  /** The same in SQL about the contact `x`, its account being $1; `values` begin at $2. */
  readonly where: string;
  readonly values: (samples: Samples, n: number) => readonly unknown[];
  /** By id when not given. */
  readonly order?: string;
}

const nth = <T>(list: readonly T[], n: number): T => {
  const found = list[n % list.length];
  if (found === undefined) throw new Error('There is nothing to search for');
  return found;
};

const one = ['z', 'q', 'w', 'x'];
const two = ['zu', 'qi', 'wo', 'xa'];
const day = (n: number) => {
  const start = new Date(Date.UTC(2023, 0, 1 + 37 * (n % 20)));
  return [start.toISOString(), new Date(start.getTime() + 86_400_000).toISOString()] as const;
};
const city = (n: number) => `City ${4 * (n % 50)}`;
const part = (text: string) => `%${text}%`;

export const searchCases: readonly SearchCase[] = [
  {
    name: 'full_name_cont, selective',
    promise: 'selective',
    query: (s, n) => ({ full_name_cont: nth(s.surnames, n) }),
    where: 'lower(x.full_name COLLATE "unicode_case") LIKE lower($2::text COLLATE "unicode_case")',
    values: (s, n) => [part(nth(s.surnames, n))],
  },
  {
    name: 'full_name_start, selective',
    promise: 'selective',
    query: (s, n) => ({ full_name_start: nth(s.fullNames, n) }),
    where: `lower(x.full_name COLLATE "unicode_case") COLLATE "C" ^@ $2`,
    values: (s, n) => [nth(s.fullNames, n).toLowerCase()],
  },
  {
    name: 'phone_end, 7 digits',
    promise: 'selective',
    query: (s, n) => ({ phone_end: nth(s.phones, n) }),
    where: `reverse(lower(x.phone COLLATE "unicode_case")) COLLATE "C" ^@ reverse($2)`,
    values: (s, n) => [nth(s.phones, n)],
  },
  {
    name: 'three columns joined by or',
    promise: 'selective',
    query: (s, n) => ({ full_name_or_email_or_phone_cont: nth(s.surnames, n) }),
    where: `lower((x.full_name || E'\\n' || x.email || E'\\n' || x.phone) COLLATE "unicode_case") LIKE lower($2::text COLLATE "unicode_case")`,
    values: (s, n) => [part(nth(s.surnames, n))],
  },
  {
    name: 'deals_name_cont, selective',
    promise: 'selective',
    query: (s, n) => ({ deals_name_cont: nth(s.deals, n) }),
    where: `x.id IN (SELECT d.contact_id FROM deals d WHERE d.account_id = $1 AND lower(d.name COLLATE "unicode_case") LIKE lower($2::text COLLATE "unicode_case"))`,
    values: (s, n) => [part(nth(s.deals, n))],
  },
  {
    name: 'full_name_cont, one character',
    promise: 'short',
    query: (_, n) => ({ full_name_cont: nth(one, n) }),
    where: 'lower(x.full_name COLLATE "unicode_case") LIKE lower($2::text COLLATE "unicode_case")',
    values: (_, n) => [part(nth(one, n))],
  },
  {
    name: 'full_name_cont, two characters',
    promise: 'short',
    query: (_, n) => ({ full_name_cont: nth(two, n) }),
    where: 'lower(x.full_name COLLATE "unicode_case") LIKE lower($2::text COLLATE "unicode_case")',
    values: (_, n) => [part(nth(two, n))],
  },
  {
    name: 'email_eq',
    query: (s, n) => ({ email_eq: nth(s.emails, n) }),
    where: 'x.email COLLATE "C" = $2',
    values: (s, n) => [nth(s.emails, n)],
  },
  {
    name: 'id_in, 20 ids',
    query: (s, n) => ({ id_in: nth(s.ids, n) }),
    where: 'x.id = ANY ($2::bigint[])',
    values: (s, n) => [nth(s.ids, n)],
  },
  {
    name: 'created_at, one day',
    query: (_, n) => ({ created_at_gteq: day(n)[0], created_at_lt: day(n)[1] }),
    where: 'x.created_at >= $2::timestamptz AND x.created_at < $3::timestamptz',
    values: (_, n) => day(n),
  },
  {
    name: 'label_list_eq',
    query: (_, n) => ({ label_list_eq: `label ${2 * (n % 15)}` }),
    where: 'x.label_list @> ARRAY[$2]::text[]',
    values: (_, n) => [`label ${2 * (n % 15)}`],
  },
  {
    name: 'label_list_cont',
    query: (_, n) => ({ label_list_cont: `el ${2 * (n % 15)}` }),
    where:
      'EXISTS (SELECT FROM unnest(x.label_list) AS l WHERE lower(l COLLATE "unicode_case") LIKE lower($2::text COLLATE "unicode_case"))',
    values: (_, n) => [part(`el ${2 * (n % 15)}`)],
  },
  {
    name: 'custom_attributes.city_eq',
    query: (_, n) => ({ 'custom_attributes.city_eq': city(n) }),
    where: `x.custom_attributes ->> 'city' = $2`,
    values: (_, n) => [city(n)],
  },
  {
    name: 'deals_status_eq, 1 in 20',
    query: () => ({ deals_status_eq: 'won' }),
    where: `x.id IN (SELECT d.contact_id FROM deals d WHERE d.account_id = $1 AND d.status = $2)`,
    values: () => ['won'],
  },
  {
    name: 'everything by full_name',
    query: () => ({ s: 'full_name asc' }),
    where: 'true',
    values: () => [],
    order: 'x.full_name COLLATE "C", x.id',
  },
  { name: 'everything, page 1', promise: 'first page', ...everything() },
  { name: 'everything, page 1,000', promise: 'page 1,000', page: 1000, ...everything() },
];

function everything(): Pick<SearchCase, 'query' | 'where' | 'values'> {
  return { query: () => ({}), where: 'true', values: () => [] };
}
