import type { Shape } from '../../db/shape.ts';

export const audit_entries: Shape = {
  table: 'audit_entries',
  columns: {
    id: 'integer',
    account_id: 'integer',
    user_id: 'integer',
    token_id: 'integer',
    action: 'text',
    record_type: 'text',
    record_id: 'integer',
    before: 'json',
    after: 'json',
    request_id: 'text',
    created_at: 'timestamp',
  },
  associations: {},
  searchable: [
    'id',
    'user_id',
    'token_id',
    'action',
    'record_type',
    'record_id',
    'request_id',
    'created_at',
  ],
};
