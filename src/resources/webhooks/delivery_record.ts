import { resource } from '../kernel/resource.ts';

export const webhook_deliveries = resource('webhook_deliveries', {
  fields: {},
  // What the body is made from: the row refers to the change, and does not hold it.
  expressions: { request_body: '$row.entry_id' },
  searchable: [
    'id',
    'webhook_id',
    'message_id',
    'event',
    'record_type',
    'record_id',
    'status',
    'attempts',
    'next_attempt_at',
    'response_status',
    'error',
    'duration_ms',
    'created_at',
    'delivered_at',
  ],
  takesPart: {},
});
