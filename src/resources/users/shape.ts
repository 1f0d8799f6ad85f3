import type { Shape } from '../../db/shape.ts';

export const users: Shape = {
  table: 'users',
  columns: {
    id: 'integer',
    account_id: 'integer',
    email: 'text',
    full_name: 'text',
    phone: 'text',
    language: 'text',
    avatar_url: 'text',
    job_description: 'text',
    theme_preference: 'text',
    role: 'text',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  computed: {
    notifications:
      "json_build_object('webpush_notify_on_event_expired', $row.webpush_notify_on_event_expired)",
  },
  associations: {
    deals: {
      to: 'deals',
      many: true,
      on: { id: 'deal_id' },
      through: { table: 'deal_assignees', on: { user_id: 'id' } },
      searchable: true,
    },
  },
  searchable: [
    'id',
    'full_name',
    'email',
    'phone',
    'language',
    'job_description',
    'avatar_url',
    'created_at',
    'updated_at',
  ],
};
