/** A deal's fields as clients send them. */
import {
  attributes,
  type Field,
  integer,
  longText,
  oneOf,
  reference,
  type Sent,
  text,
  timestamp,
} from '../fields.ts';

export const statuses = ['open', 'won', 'lost'] as const;
export type Status = (typeof statuses)[number];

/** Null asks for the default: the pipeline of the stage, the end of the stage. */
const orDefault = (field: Field<number>): Field<number | null> => ({
  ...field,
  cleared: { value: null },
});

export const dealFields = {
  name: text(),
  status: oneOf(statuses),
  stage_id: reference,
  pipeline_id: orDefault(reference),
  contact_id: reference,
  position: orDefault(integer({ least: 1 })),
  lost_reason: longText,
  lost_at: timestamp,
  won_at: timestamp,
  custom_attributes: attributes,
};

export type DealSent = Sent<typeof dealFields>;
