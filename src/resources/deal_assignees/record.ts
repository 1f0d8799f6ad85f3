import { reference } from '../kernel/fields/fields.ts';
import { plainVerbs } from '../kernel/participation.ts';
import { resource } from '../kernel/resource.ts';

export const deal_assignees = resource('deal_assignees', {
  fields: { deal_id: reference, user_id: reference },
  searchable: ['id', 'deal_id', 'user_id', 'created_at', 'updated_at'],
  // Only within the lists of deals: a search of deals has the path `users` for what it asks of them.
  followedFirst: ['deal', 'user'],
  unique: [['deal_id', 'user_id']],
  takesPart: { changes: plainVerbs, undo: {}, erasure: true },
});
