import type { Context } from '../../context/context.ts';
import { type RecordResult, type RecordValues, valuesOf } from '../kernel/read/record_result.ts';
import { resource } from '../kernel/resource.ts';

export const sessions = resource('sessions', {
  fields: {},
  // Which one it is; whether the viewer has it, the row does not know.
  expressions: { is_current: '$row.id' },
  searchable: ['id', 'user_id', 'user_agent', 'ip', 'created_at', 'last_used_at', 'expires_at'],
  takesPart: {},
});

/** A session as its viewer sees it. */
export function seenBy({ viewer }: Context, session: RecordResult): RecordValues {
  const fields = valuesOf(session);
  return { ...fields, is_current: fields.is_current === viewer.sessionId };
}
