import type { Shape } from '../../db/shape.ts';

export const contacts: Shape = {
  table: 'contacts',
  columns: {
    id: 'integer',
    account_id: 'integer',
    full_name: 'text',
    phone: 'text',
    email: 'text',
    label_list: 'labels',
    custom_attributes: 'json',
    additional_attributes: 'json',
    app_type: 'text',
    app_id: 'integer',
    chat_conversations_label_list: 'labels',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  associations: {
    deals: { to: 'deals', many: true, on: { contact_id: 'id' }, searchable: true },
    events: { to: 'events', many: true, on: { contact_id: 'id' } },
  },
  searchable: [
    'id',
    'full_name',
    'email',
    'phone',
    'app_type',
    'app_id',
    'created_at',
    'updated_at',
    'label_list',
    'custom_attributes',
  ],
  texts: ['full_name', 'email', 'phone'],
};
