import { resource } from '../kernel/resource.ts';

export const sessions = resource('sessions', {
  fields: {},
  searchable: ['id', 'user_id', 'user_agent', 'ip', 'created_at', 'last_used_at', 'expires_at'],
});
