import type { Viewer, Viewers } from '../../auth/viewer.ts';
import { operating } from '../../context.ts';
import { sql } from '../../db/sql.ts';
import { endSessions } from './end.ts';
import type { Anonymous } from './sign_in.ts';

/** Ends the session by which a viewer is known. */
export async function signOut(call: Anonymous, viewers: Viewers, viewer: Viewer): Promise<void> {
  const { accountId, userId, sessionId } = viewer;
  await endSessions({ ...operating(call, accountId), viewer }, sql`sessions.id = ${sessionId}`);
  viewers.forget(accountId, userId);
}
