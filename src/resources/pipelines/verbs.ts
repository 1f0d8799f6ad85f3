import { creating, updating } from '../kernel/write.ts';
import { pipelines } from './record.ts';

/** A new pipeline has no stages. */
export const createPipeline = creating(pipelines);
export const updatePipeline = updating(pipelines);
