/** What can be taken back: records of the CRM, but not users, tokens and settings. */
import type { Association, RecordType, ShapeName } from '../../db/sql/shape.ts';
import { tables } from '../../generated/shapes.ts';
import { keysOf } from '../../lib/object_keys.ts';

/** Kinds of records and their tables, each before those that refer to it. */
export const tableOf = {
  contact: 'contacts',
  product: 'products',
  pipeline: 'pipelines',
  stage: 'stages',
  deal: 'deals',
  deal_product: 'deal_products',
  deal_assignee: 'deal_assignees',
  event: 'events',
} as const satisfies Partial<Record<RecordType, ShapeName>>;

export type Kind = keyof typeof tableOf;

export const kinds = keysOf(tableOf);

/** Where a record stands among others: numbers, which shift as the others move. */
export const place = {
  stage: ['position'],
  deal: ['stage_id', 'position'],
} as const satisfies Partial<Record<Kind, readonly string[]>>;

/** Fields that only make sense together: changing one counts as changing all of them. */
const together: Partial<Record<Kind, readonly (readonly string[])[]>> = {
  stage: [place.stage],
  deal: [place.deal, ['status', 'lost_reason', 'lost_at', 'won_at']],
};

/** Fields that follow from others, of the same record or beneath it. */
const derived: Partial<Record<Kind, readonly string[]>> = {
  stage: ['pipeline_id'],
  deal: ['pipeline_id', 'total_deal_products_amount_in_cents'],
  deal_product: ['total_amount_in_cents'],
  event: ['contact_id', 'deal_id'],
};

/** The fields that a field is put back with: itself unless listed here, none when it follows from others. */
export const groupOf = (kind: Kind, field: string): readonly string[] =>
  derived[kind]?.includes(field)
    ? []
    : (together[kind]?.find((group) => group.includes(field)) ?? [field]);

/** A column that names another record, and the table of that. */
export interface Reference {
  readonly column: string;
  readonly to: ShapeName;
}

/** What records of a kind refer to. */
export const referencesOf = (kind: Kind): readonly Reference[] =>
  Object.values<Association>(tables[tableOf[kind]].relations).flatMap(({ to, many, on }) =>
    many ? [] : Object.values(on).map((column) => ({ column, to })),
  );

/**
 * Which kinds refer to records of a kind, and by which column: a record can only be removed when
 * none is left.
 */
export const referringTo = (
  kind: Kind,
): readonly { readonly by: Kind; readonly column: string }[] =>
  kinds.flatMap((by) =>
    referencesOf(by).flatMap(({ column, to }) => (to === tableOf[kind] ? { by, column } : [])),
  );
