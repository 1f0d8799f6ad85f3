import type { Viewer } from './viewer.ts';

/**
 * Whoever runs the service's own commands, seen as a viewer of an account: no user and no token,
 * which the audit trail records as such.
 */
export const operator = (accountId: number): Viewer => ({
  accountId,
  userId: 0,
  tokenId: 0,
  role: 'admin',
  defaultCountry: null,
});
