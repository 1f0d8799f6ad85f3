/**
 * From records as the system answers them to what is sent for them here. Its answers are not as
 * strict as ours: ids and amounts may be texts, texts null, moments of another zone. What is wrong
 * all the same, the service says.
 */
import type { Fields } from '../../../import/draft.ts';
import { attributesWith, fieldsOf } from './fields.ts';
import type { Foreign } from './source.ts';

/** What a record becomes, beside those that it belongs to. */
export type BodyOf = (record: Foreign, key: string) => Fields;

const contact = fieldsOf({
  full_name: 'text',
  email: 'text',
  phone: 'text',
  label_list: 'labels',
  created_at: 'moment',
});

const product = fieldsOf({
  identifier: 'text',
  name: 'text',
  description: 'text',
  amount_in_cents: 'plain',
  quantity_available: 'plain',
  created_at: 'moment',
});

const deal = fieldsOf({
  name: 'text',
  status: 'text',
  lost_reason: 'text',
  lost_at: 'moment',
  won_at: 'moment',
  created_at: 'moment',
});

const event = fieldsOf({
  kind: 'text',
  title: 'text',
  content: 'text',
  scheduled_at: 'moment',
  done_at: 'moment',
  done: 'plain',
  auto_done: 'plain',
  additional_attributes: 'attributes',
  created_at: 'moment',
});

export const lineBody = fieldsOf({
  quantity: 'plain',
  unit_amount_in_cents: 'plain',
  product_name: 'text',
  product_identifier: 'text',
  created_at: 'moment',
});

const withAttributes =
  (bodyOf: (record: Foreign) => Fields): BodyOf =>
  (record, key) => ({ ...bodyOf(record), ...attributesWith(record, key) });

export const contactBody = withAttributes(contact);
export const productBody = withAttributes(product);
export const dealBody = withAttributes(deal);
export const eventBody = withAttributes(event);
