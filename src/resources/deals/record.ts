import { attributes } from '../kernel/fields/attributes.ts';
import {
  integer,
  longText,
  oneOf,
  orDefault,
  reference,
  text,
  timestamp,
} from '../kernel/fields/fields.ts';
import type { ParsedInput } from '../kernel/fields/input.ts';
import { plainVerbs } from '../kernel/participation.ts';
import { resource, unstored, type Values } from '../kernel/resource.ts';
import { derived } from './derived_columns.ts';
import { neighbours, position } from './positions/position.ts';

const statuses = ['open', 'won', 'lost'] as const;
export type Status = (typeof statuses)[number];

export const deals = resource('deals', {
  fields: {
    name: text(),
    status: oneOf(statuses),
    stage_id: reference,
    // Null asks for the pipeline of the stage.
    pipeline_id: orDefault(reference),
    contact_id: reference,
    // Null asks for the end of the stage.
    position: unstored(orDefault(integer({ min: 1 }))),
    lost_reason: longText,
    lost_at: timestamp,
    won_at: timestamp,
    custom_attributes: attributes,
  },
  computed: { position },
  neighbours,
  derived,
  searchable: [
    'id',
    'name',
    'status',
    'stage_id',
    'pipeline_id',
    'contact_id',
    'created_by_id',
    'position',
    'lost_reason',
    'lost_at',
    'won_at',
    'total_deal_products_amount_in_cents',
    'created_at',
    'updated_at',
    'custom_attributes',
  ],
  unspecified: Object.keys(derived),
  followed: [
    'contact',
    'stage',
    'pipeline',
    'creator',
    'deal_assignees',
    'deal_products',
    'products',
    'users',
  ],
  foundBy: ['name'],
  foundWith: 'contact',
  through: { products: ['deal_products', 'product'], users: ['deal_assignees', 'user'] },
  takesPart: {
    changes: plainVerbs,
    undo: {
      place: ['stage_id', 'position'],
      together: [['status', 'lost_reason', 'lost_at', 'won_at']],
      derived: ['pipeline_id', 'total_deal_products_amount_in_cents'],
    },
    exports: true,
    erasure: true,
  },
});

export type DealFields = ParsedInput<typeof deals.fields>;

/** The values of all stored fields. */
export type DealValues = Values<typeof deals.fields>;
