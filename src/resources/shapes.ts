import type { Shape, Shapes } from '../db/sql/shape.ts';
import { audit_entries } from './audit/record.ts';
import { contacts } from './contacts/record.ts';
import { deal_assignees } from './deal_assignees/record.ts';
import { deal_products } from './deal_products/record.ts';
import { deals } from './deals/record.ts';
import { events } from './events/record.ts';
import { pipelines } from './pipelines/record.ts';
import { products } from './products/record.ts';
import { sessions } from './sessions/record.ts';
import { stages } from './stages/record.ts';
import { api_tokens } from './tokens/record.ts';
import { users } from './users/record.ts';
import { sign_in_codes } from './users/sign_in_link.ts';
import { webhook_deliveries } from './webhooks/delivery_record.ts';
import { webhooks } from './webhooks/record.ts';

/** The kinds of record that clients write. */
export const resources = {
  contacts,
  deal_assignees,
  deal_products,
  deals,
  events,
  pipelines,
  products,
  stages,
  api_tokens,
  users,
  webhooks,
} as const;

/** Every kind of record that the service exposes. */
export const shapes: Shapes = {
  ...resources,
  audit_entries,
  sessions,
  sign_in_codes,
  webhook_deliveries,
};

const specifiedOf = (shape: Shape): Shape => ({
  ...shape,
  searchable: shape.searchable.filter((column) => !shape.unspecified?.includes(column)),
});

/** The same for the searches of the REST interface, which know only the fields that it shows. */
export const specified: Shapes = {
  ...shapes,
  ...Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, specifiedOf(shape)])),
};
