import type { Shapes } from '../db/shape.ts';
import { audit_entries } from './audit/shape.ts';
import { contacts } from './contacts/shape.ts';
import { deal_products } from './deal_products/shape.ts';
import { deal_assignees } from './deals/assignee_shape.ts';
import { deals } from './deals/shape.ts';
import { events } from './events/shape.ts';
import { pipelines, stages } from './pipelines/shape.ts';
import { products } from './products/shape.ts';
import { users } from './users/shape.ts';

/** Every kind of record that the service shows. */
export const shapes: Shapes = {
  audit_entries,
  contacts,
  deal_assignees,
  deal_products,
  deals,
  events,
  pipelines,
  products,
  stages,
  users,
};
