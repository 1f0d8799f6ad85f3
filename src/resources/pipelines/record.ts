import { nameField } from '../fields.ts';
import { resource } from '../resource.ts';

export const pipelines = resource('pipelines', {
  fields: { name: nameField },
  searchable: ['id', 'name', 'created_at', 'updated_at'],
  order: { stages: ['position'] },
});
