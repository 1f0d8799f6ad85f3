import type { Shape, Shapes } from '../db/sql/shape.ts';
import { audit_entries } from './audit/record.ts';
import { records } from './records.ts';
import { sessions } from './sessions/record.ts';
import { api_tokens } from './tokens/record.ts';
import { sign_in_codes } from './users/sign_in_link.ts';
import { webhook_deliveries } from './webhooks/delivery_record.ts';
import { webhooks } from './webhooks/record.ts';

/** The kinds of record that clients write. */
export const resources = { ...records, api_tokens, webhooks } as const;

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
