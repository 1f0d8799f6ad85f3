import type { Viewer, Viewers } from '../../auth/viewer.ts';
import { operating } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { endSessionsAlone } from './end.ts';
import type { Visit } from './visit.ts';

/** Ends the session by which a viewer is known. */
export async function signOut(visit: Visit, viewers: Viewers, viewer: Viewer): Promise<void> {
  const { accountId, userId, sessionId } = viewer;
  const ctx = { ...operating(visit, accountId), viewer };
  await endSessionsAlone(ctx, sql`sessions.id = ${sessionId}`);
  viewers.forget(accountId, userId);
}
