import type { Context } from '../../context.ts';
import type { Stored } from '../kernel/record.ts';
import { resource } from '../kernel/resource.ts';

export const sessions = resource('sessions', {
  fields: {},
  // Which one it is; whether the viewer has it, the row does not know.
  computed: { is_current: '$row.id' },
  searchable: ['id', 'user_id', 'user_agent', 'ip', 'created_at', 'last_used_at', 'expires_at'],
});

/** A session as its viewer sees it. */
export const seenBy = ({ viewer }: Context, session: Stored): Stored => ({
  ...session,
  is_current: session.is_current === viewer.sessionId,
});
