import { resource } from '../kernel/resource.ts';

export const api_tokens = resource('api_tokens', { fields: {}, searchable: [] });
