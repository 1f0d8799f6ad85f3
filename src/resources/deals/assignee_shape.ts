import type { Shape } from '../../db/shape.ts';

export const deal_assignees: Shape = {
  table: 'deal_assignees',
  columns: {
    id: 'integer',
    account_id: 'integer',
    deal_id: 'integer',
    user_id: 'integer',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  associations: {
    deal: { to: 'deals', many: false, on: { id: 'deal_id' } },
    user: { to: 'users', many: false, on: { id: 'user_id' } },
  },
  searchable: ['id', 'deal_id', 'user_id', 'created_at', 'updated_at'],
};
