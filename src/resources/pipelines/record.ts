import { nameField } from '../kernel/fields/fields.ts';
import { plainVerbs } from '../kernel/participation.ts';
import { resource } from '../kernel/resource.ts';

export const pipelines = resource('pipelines', {
  fields: { name: nameField },
  searchable: ['id', 'name', 'created_at', 'updated_at'],
  order: { stages: ['position'] },
  takesPart: { changes: [...plainVerbs, 'reorder'], undo: {} },
});
