import type { Shape } from '../../db/shape.ts';
import { position } from './position.ts';

export const pipelines: Shape = {
  table: 'pipelines',
  columns: {
    id: 'integer',
    account_id: 'integer',
    name: 'text',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  associations: {
    stages: { to: 'stages', many: true, on: { pipeline_id: 'id' }, order: ['position'] },
  },
  searchable: ['id', 'name', 'created_at', 'updated_at'],
};

export const stages: Shape = {
  table: 'stages',
  columns: {
    id: 'integer',
    account_id: 'integer',
    name: 'text',
    pipeline_id: 'integer',
    position: 'integer',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  associations: {
    pipeline: { to: 'pipelines', many: false, on: { id: 'pipeline_id' }, searchable: true },
    deals: { to: 'deals', many: true, on: { stage_id: 'id' }, order: position.order },
  },
  searchable: ['id', 'name', 'position', 'created_at', 'updated_at'],
};
