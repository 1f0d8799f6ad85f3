import { everything } from './scopes.ts';
import type { Viewer } from './viewer.ts';

/**
 * The viewer on whose behalf the service's own commands run. It has neither user nor token, and the
 * audit trail records it without them.
 */
export const operator = (accountId: number): Viewer => ({
  accountId,
  userId: 0,
  tokenId: null,
  sessionId: null,
  role: 'admin',
  scopes: everything,
  defaultCountry: null,
});
