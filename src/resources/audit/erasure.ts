/** Taking out of the trail what it holds of a contact. */
import type { Context, UnitOfWork } from '../../context.ts';
import type { RecordType } from '../../db/shape.ts';
import { join, name, raw, type Sql, sql } from '../../db/sql.ts';
import { keysOf } from '../../keys_of.ts';
import { clock } from '../kernel/moment.ts';
import { inTransaction } from '../kernel/transaction.ts';

/** What belongs to a deal, or to its contact: the kinds, and their tables in the order of their locks. */
const tables = {
  contact: 'contacts',
  deal: 'deals',
  deal_product: 'deal_products',
  deal_assignee: 'deal_assignees',
  event: 'events',
} as const satisfies Partial<Record<RecordType, string>>;

type Kind = keyof typeof tables;

const kinds = keysOf(tables);

/** The tables whose records may be forgotten. */
export const erasable = Object.values(tables);

const beneath = ['deal_product', 'deal_assignee', 'event'] as const satisfies readonly Kind[];

/** Ids of records by their kind. */
export type Erased = ReadonlyMap<Kind, ReadonlySet<number>>;

/** Entries read by one statement, and records whose entries are written by one. */
const pageSize = 10_000;
const batchSize = 500;

/** Whether the trail knows a record, whatever has become of it. */
export async function isKnown(ctx: UnitOfWork, kind: Kind, id: number): Promise<boolean> {
  const found = await ctx.db.query(
    sql`SELECT FROM audit_entries
      WHERE account_id = ${ctx.viewer.accountId} AND record_type = ${kind} AND record_id = ${id} LIMIT 1`,
  );
  return found.length > 0;
}

/**
 * A contact that is gone, the deals that it had at any time, and all that ever was beneath any of these,
 * as far as the trail and the tables show.
 */
export async function findErased(ctx: UnitOfWork, contactId: number): Promise<Erased> {
  const found = new Map(kinds.map((kind) => [kind, new Set<number>()]));
  const add = (kind: Kind, ids: readonly number[]) => {
    for (const id of ids) found.get(kind)?.add(id);
  };
  const contact = [String(contactId)];
  add('contact', [contactId]);
  await readThrough(ctx, ['deal'], told('contact_id', contact), add);
  const deals = [...(found.get('deal') ?? [])];
  const isBeneath = sql`(${told('contact_id', contact)} OR ${told('deal_id', deals.map(String))})`;
  await readThrough(ctx, beneath, isBeneath, add);
  for (const kind of beneath) {
    const rows = await ctx.db.query<{ id: number }>(
      sql`SELECT id FROM ${name(tables[kind])}
        WHERE account_id = ${ctx.viewer.accountId} AND deal_id = ANY(${deals}::bigint[])`,
    );
    add(
      kind,
      rows.map(({ id }) => id),
    );
  }
  return found;
}

/** Whether an entry names one of these ids: as what its record referred to until then, or from then on. */
const told = (column: 'contact_id' | 'deal_id', ids: readonly string[]): Sql =>
  sql`ARRAY[before ->> ${raw(`'${column}'`)}, after ->> ${raw(`'${column}'`)}] && ${ids}::text[]`;

/** Reads all entries of the account, page by page: no index leads to what they refer to. */
async function readThrough(
  ctx: UnitOfWork,
  wanted: readonly Kind[],
  condition: Sql,
  add: (kind: Kind, ids: readonly number[]) => void,
): Promise<void> {
  const found = wanted.map(
    (kind) =>
      sql`array_agg(DISTINCT record_id) FILTER (WHERE record_type = ${kind} AND ${condition}) AS ${name(kind)}`,
  );
  for (let last: number | null = 0; last !== null; ) {
    const [page]: Page[] = await ctx.db.query<Page>(
      sql`SELECT max(id) AS last, ${join(found)} FROM (
          SELECT id, record_type, record_id, before, after FROM audit_entries
          WHERE account_id = ${ctx.viewer.accountId} AND id > ${last} ORDER BY id LIMIT ${pageSize}
        ) AS page`,
    );
    for (const kind of wanted) add(kind, page?.[kind] ?? []);
    last = page?.last ?? null;
  }
}

type Page = { readonly last: number | null } & Readonly<Partial<Record<Kind, number[] | null>>>;

/**
 * Takes the values out of the entries of records. Of a record that lives on, because its deal has
 * another contact now, texts are left that it still shows, so that clients which follow the changes
 * late arrive at what there is. It is locked meanwhile, so that nobody is writing about it.
 * @returns how many entries were emptied
 */
export async function eraseEntries(ctx: Context, erased: Erased): Promise<number> {
  let entries = 0;
  for (const kind of kinds) {
    const ids = [...(erased.get(kind) ?? [])].sort((one, other) => one - other);
    for (let from = 0; from < ids.length; from += batchSize) {
      const some = ids.slice(from, from + batchSize);
      entries += await inTransaction(ctx, (tx) => eraseSome(tx, kind, some));
    }
  }
  return entries;
}

async function eraseSome(ctx: UnitOfWork, kind: Kind, ids: readonly number[]): Promise<number> {
  const { accountId } = ctx.viewer;
  const table = name(tables[kind]);
  await ctx.db.query(
    sql`SELECT FROM ${table} WHERE account_id = ${accountId} AND id = ANY(${ids}::bigint[]) ORDER BY id FOR UPDATE`,
  );
  const values = (column: 'before' | 'after') =>
    sql`(SELECT json_object_agg(field.name, CASE WHEN ${isLeft} THEN field.value END ORDER BY field.at)
        FROM json_each(entry.${name(column)}) WITH ORDINALITY AS field (name, value, at))`;
  const rows = await ctx.db.query(
    sql`UPDATE audit_entries AS entry
      SET before = ${values('before')}, after = ${values('after')}, erased_at = ${clock}
      FROM unnest(${ids}::bigint[]) AS one (id)
      LEFT JOIN (SELECT id, to_json(row) AS now FROM ${table} AS row
        WHERE row.account_id = ${accountId} AND row.id = ANY(${ids}::bigint[])) AS living USING (id)
      WHERE entry.account_id = ${accountId} AND entry.record_type = ${kind} AND entry.record_id = one.id
      RETURNING entry.id`,
  );
  return rows.length;
}

/** Timestamps are not a person's text, although JSON has them as strings. */
const isLeft =
  raw(`living.now IS NOT NULL AND (json_typeof(field.value) NOT IN ('string', 'array', 'object')
  OR field.value::text ~ '^"\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(Z|[+]00:00)"$'
  OR field.value::text = (living.now -> field.name)::text)`);
