/**
 * The rules about deals. Every write applies them: to new deals and existing ones, alone, by upsert or in a batch. A new
 * rule goes into `applyRules`, and nowhere else.
 */
import { coded, mustExist } from '../../errors/codes.ts';
import type { Faults } from '../../errors/errors.ts';
import type { DealFields, DealValues, Status } from './record.ts';

/** Fields that rules connect with each other; the others are written as they are sent. */
const connected: ReadonlySet<string> = new Set<keyof DealFields>([
  'status',
  'stage_id',
  'pipeline_id',
  'contact_id',
  'position',
  'lost_reason',
  'lost_at',
  'won_at',
]);

/** Whether a change concerns no rule. */
export const isPlain = (fields: DealFields): boolean =>
  !Object.keys(fields).some((field) => connected.has(field));

/** What a deal refers to, as far as it is there. */
export interface DealReferences {
  /** The pipeline of its stage; null without such a stage. */
  readonly pipelineId: number | null;
  readonly hasContact: boolean;
}

/** A deal's status and the fields that go with it; moments as ISO 8601 in UTC. */
type Outcome = Pick<DealValues, 'status' | 'lost_reason' | 'lost_at' | 'won_at'>;

/**
 * @param before the deal before the write; undefined for a new one
 * @param references undefined where they are not known yet: {@link checkReferences} follows
 * @param faults receives what the rules refuse
 * @returns what the rules decide of the deal
 */
export function applyRules(
  before: DealValues | undefined,
  fields: DealFields,
  references: DealReferences | undefined,
  now: Date,
  faults: Faults,
): Outcome {
  const outcome = nextOutcome(before, fields, now);
  // Last, because what a single new deal refers to is looked for only where it could not be inserted.
  if (references) checkReferences(fields, references, faults);
  return outcome;
}

/**
 * Reports a stage or contact that is missing or does not exist, and a pipeline that is not the
 * stage's.
 */
export function checkReferences(
  fields: DealFields,
  { pipelineId, hasContact }: DealReferences,
  faults: Faults,
): void {
  if (!hasContact && !faults.has('contact_id')) faults.add('contact_id', mustExist);
  if (pipelineId === null && !faults.has('stage_id')) faults.add('stage_id', mustExist);
  if (pipelineId !== null && fields.pipeline_id && fields.pipeline_id !== pipelineId) {
    faults.add('pipeline_id', coded('mismatch', 'does not match the pipeline of the stage'));
  }
}

/** Whether a new deal is closed at the moment at which it is created. */
export const closesNow = ({ status, won_at, lost_at }: DealFields): boolean =>
  (status === 'won' && !won_at) || (status === 'lost' && !lost_at);

/**
 * A change of status sets and clears the fields that go with it; without one they are stored as sent. Any status may
 * follow any other.
 */
function nextOutcome(before: Outcome | undefined, fields: DealFields, now: Date): Outcome {
  const status: Status = fields.status ?? before?.status ?? 'open';
  const reason = fields.lost_reason ?? before?.lost_reason ?? '';
  if (before?.status === status) {
    return {
      status,
      lost_reason: reason,
      lost_at: fields.lost_at === undefined ? before.lost_at : fields.lost_at,
      won_at: fields.won_at === undefined ? before.won_at : fields.won_at,
    };
  }
  const moment = now.toISOString();
  switch (status) {
    case 'won':
      return { status, lost_reason: '', lost_at: null, won_at: fields.won_at ?? moment };
    case 'lost':
      return { status, lost_reason: reason, lost_at: fields.lost_at ?? moment, won_at: null };
    case 'open':
      return { status, lost_reason: '', lost_at: null, won_at: null };
  }
}
