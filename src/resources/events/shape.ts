import type { Shape } from '../../db/shape.ts';

export const events: Shape = {
  table: 'events',
  columns: {
    id: 'integer',
    account_id: 'integer',
    deal_id: 'integer',
    contact_id: 'integer',
    kind: 'text',
    scheduled_at: 'timestamp',
    done_at: 'timestamp',
    from_me: 'boolean',
    custom_attributes: 'json',
    additional_attributes: 'json',
    title: 'text',
    content: 'text',
    auto_done: 'boolean',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  // The service has no files and no messages of other applications: those fields are there
  // because the resource has them, and always empty.
  computed: {
    app_type: 'NULL::text',
    app_id: 'NULL::bigint',
    status: 'NULL::text',
    done: '($row.done_at IS NOT NULL)',
    send_now: 'NULL::boolean',
    files: "'[]'::json",
    files_events: "'[]'::json",
    invalid_files: 'NULL::json',
  },
  associations: {
    contact: { to: 'contacts', many: false, on: { id: 'contact_id' } },
    deal: { to: 'deals', many: false, on: { id: 'deal_id' } },
  },
  searchable: [
    'id',
    'deal_id',
    'contact_id',
    'kind',
    'title',
    'scheduled_at',
    'done_at',
    'created_at',
    'updated_at',
  ],
};
