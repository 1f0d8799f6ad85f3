/** Records whose texts former rules stored otherwise than today's would. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { kindOf } from '../../db/sql/shape.ts';
import { join, name, type Sql, sql } from '../../db/sql/sql.ts';
import { repairedPhone } from '../contacts/phone_repair.ts';
import type { Resource } from '../kernel/resource.ts';
import { resources } from '../shapes.ts';

/** All that have texts; the names of tokens are shown to people and compared with nothing. */
export const repairable: readonly Resource[] = [
  resources.contacts,
  resources.products,
  resources.pipelines,
  resources.stages,
  resources.deals,
  resources.deal_products,
  resources.events,
  resources.users,
  resources.webhooks,
];

/** A record, its fields that are stored otherwise, and what they should be. */
export interface Finding {
  readonly id: number;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/** Records that one statement reads. */
const pageSize = 5_000;

/** The stored fields that are texts or lists of texts. */
export const textsOf = (resource: Resource): readonly string[] =>
  resource.written.filter((column) => /^(text|labels)$/.test(kindOf(resource, column) ?? ''));

/** Whether a text may have to be read anew: it is not in NFC, or has nothing that is certain to be seen. */
function isDoubtful(resource: Resource, column: string): Sql {
  const of = sql`r.${name(column)}`;
  if (resource === resources.contacts && column === 'phone') return sql`${of} <> ''`;
  if (kindOf(resource, column) === 'text') {
    return sql`(${of} IS NOT NFC NORMALIZED OR (${of} <> '' AND ${of} !~ '[!-~]'))`;
  }
  return sql`EXISTS (SELECT FROM unnest(${of}) AS label (text)
    WHERE label.text IS NOT NFC NORMALIZED OR label.text !~ '[!-~]' OR label.text ~ '[ςσΣ]')`;
}

/** All findings of an account's records of one kind, page by page, in the order of their ids. */
export async function* findingsOf(
  ctx: UnitOfWork,
  resource: Resource,
): AsyncGenerator<readonly Finding[]> {
  const { accountId, defaultCountry } = ctx.viewer;
  const columns = textsOf(resource);
  const doubtful = join(
    columns.map((column) => isDoubtful(resource, column)),
    ' OR ',
  );
  for (let after = 0; ; ) {
    const rows = await ctx.db.query<Record<string, unknown> & { id: number | null; last: number }>(
      sql`WITH page AS MATERIALIZED (
          SELECT id, ${join(columns.map(name))} FROM ${name(resource.table)}
          WHERE account_id = ${accountId} AND id > ${after} ORDER BY id LIMIT ${pageSize}
        )
        SELECT ends.last, r.* FROM (SELECT max(id) AS last FROM page) AS ends
        LEFT JOIN page AS r ON ${doubtful} WHERE ends.last IS NOT NULL ORDER BY r.id`,
      adhoc,
    );
    const [first] = rows;
    if (!first) return;
    after = first.last;
    const findings = rows.flatMap(({ id, last: _, ...stored }) =>
      id === null ? [] : (findingOf(resource, id, stored, defaultCountry) ?? []),
    );
    if (findings.length > 0) yield findings;
  }
}

/** @returns undefined where today's rules leave the record as it is */
export function findingOf(
  resource: Resource,
  id: number,
  stored: Readonly<Record<string, unknown>>,
  defaultCountry: string | null,
): Finding | undefined {
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  for (const column of textsOf(resource)) {
    const value = stored[column];
    if (value === null || value === undefined || value === '') continue;
    const isPhone = resource === resources.contacts && column === 'phone';
    const repaired = isPhone
      ? repairedPhone(String(value), defaultCountry)
      : resource.fields[column]?.read(value, () => undefined);
    // What would be refused today cannot be stored anew.
    if (repaired === undefined || JSON.stringify(repaired) === JSON.stringify(value)) continue;
    before[column] = value;
    after[column] = repaired;
  }
  return Object.keys(after).length > 0 ? { id, before, after } : undefined;
}
