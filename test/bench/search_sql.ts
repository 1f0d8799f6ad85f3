/** The answer of a search as one would write it by hand: one statement that gives its JSON. */
import pg from 'pg';
import type { SearchCase } from './search_cases.ts';

export const perPage = 10;

/** A statement of one row: `count`, and `data` as the text of a JSON array. */
export interface Handwritten {
  /** How it is written and whether it stays prepared. */
  readonly name: string;
  readonly text: string;
  readonly prepared: boolean;
}

const at = (column: string) => `to_char(x.${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const record = `json_build_object('id', x.id, 'account_id', x.account_id, 'full_name', x.full_name,
  'phone', x.phone, 'email', x.email, 'label_list', x.label_list, 'custom_attributes', x.custom_attributes,
  'additional_attributes', x.additional_attributes, 'app_type', x.app_type, 'app_id', x.app_id,
  'chat_conversations_label_list', x.chat_conversations_label_list,
  'created_at', ${at('created_at')}, 'updated_at', ${at('updated_at')})`;

/** Which of them is best depends on the search and on the size, so all are tried. */
export function handwritten({ where, order = 'x.id', page = 1 }: SearchCase): Handwritten[] {
  const matching = `FROM contacts x WHERE x.account_id = $1 AND ${where}`;
  const slice = `LIMIT ${perPage} OFFSET ${(page - 1) * perPage}`;
  const data = (ids: string) =>
    `coalesce((SELECT json_agg(${record} ORDER BY ${order}) FROM contacts x
      WHERE x.account_id = $1 AND x.id = ANY (ARRAY(${ids}))), '[]')::text AS data`;
  const texts = {
    twice: `SELECT (SELECT count(*) ${matching})::int AS count,
      ${data(`SELECT x.id ${matching} ORDER BY ${order} ${slice}`)}`,
    once: `WITH found AS MATERIALIZED (SELECT x.id, x.full_name ${matching})
      SELECT (SELECT count(*) FROM found)::int AS count,
      ${data(`SELECT x.id FROM found x ORDER BY ${order} ${slice}`)}`,
  };
  return Object.entries(texts).flatMap(([name, text]) => [
    { name, text, prepared: false },
    { name: `${name}, prepared`, text, prepared: true },
  ]);
}

/** The plain count of what a text search reads at most: the account's rows, one after the other. */
export const accountScan = ({ where }: SearchCase) =>
  `SELECT count(*) FROM contacts x WHERE x.account_id = $1 AND ${where}`;

/** Settled as the service settles its own pool, without its limits of time. */
export function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    options: '-c TimeZone=UTC -c jit=off',
  });
  // A connection that was let go may live to see PostgreSQL end.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
