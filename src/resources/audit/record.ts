import { resource } from '../kernel/resource.ts';

export const audit_entries = resource('audit_entries', {
  fields: {},
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
  takesPart: {},
});
