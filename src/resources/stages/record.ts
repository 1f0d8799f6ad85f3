import { integer, nameField, orDefault, reference } from '../kernel/fields/fields.ts';
import { plainVerbs } from '../kernel/participation.ts';
import { resource } from '../kernel/resource.ts';

export const stages = resource('stages', {
  fields: {
    name: nameField,
    // Null asks for the end of the pipeline.
    position: orDefault(integer({ min: 1 })),
    pipeline_id: reference,
    rests_after_days: orDefault(integer({ min: 1, max: 3650 })),
  },
  versions: 'fields',
  searchable: ['id', 'name', 'position', 'created_at', 'updated_at'],
  unspecified: ['rests_after_days'],
  followed: ['pipeline'],
  order: { deals: ['position'] },
  takesPart: {
    changes: [...plainVerbs, 'reorder'],
    undo: { place: ['position'], derived: ['pipeline_id'] },
  },
});
