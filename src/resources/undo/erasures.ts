/** Erasures win over everything that would bring values back. */
import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { sql } from '../../db/sql/sql.ts';
import type { RecordReversal, Row } from './runs.ts';

/**
 * Marks removals that erasures are about which have begun and have not come to them yet.
 * @returns the same records
 */
export async function withErased(
  ctx: UnitOfWork,
  reversals: readonly RecordReversal[],
): Promise<readonly RecordReversal[]> {
  const { accountId } = ctx.viewer;
  const running = await ctx.db.query<{ contact_id: number }>(
    sql`SELECT contact_id FROM erasures WHERE account_id = ${accountId}`,
    adhoc,
  );
  if (running.length === 0) return reversals;
  const contacts = new Set(running.map(({ contact_id }) => contact_id));
  const deals = reversals.flatMap(({ kind, id, removed }) => {
    const deal = kind === 'deal' ? id : removed && numberIn(removed.before, 'deal_id');
    return removed && deal ? [deal] : [];
  });
  const theirs = await ctx.db.query<{ id: number }>(
    sql`SELECT DISTINCT record_id AS id FROM audit_entries
      WHERE account_id = ${accountId} AND record_type = 'deal' AND record_id = ANY(${deals}::bigint[])
        AND ((before ->> 'contact_id')::bigint = ANY(${[...contacts]}::bigint[])
          OR (after ->> 'contact_id')::bigint = ANY(${[...contacts]}::bigint[]))`,
    adhoc,
  );
  const erased = new Set(theirs.map(({ id }) => id));
  return reversals.map((one) => {
    const { kind, id, removed } = one;
    if (!removed) return one;
    const contact = kind === 'contact' ? id : numberIn(removed.before, 'contact_id');
    const deal = kind === 'deal' ? id : numberIn(removed.before, 'deal_id');
    const isErased = removed.isErased || contacts.has(contact) || erased.has(deal);
    return { ...one, removed: { ...removed, isErased } };
  });
}

const numberIn = (row: Row, field: string): number => Number(row.get(field) ?? 'null');
