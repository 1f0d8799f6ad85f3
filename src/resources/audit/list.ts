import { newestFirst, searching } from '../kernel/read/read.ts';
import { audit_entries } from './record.ts';

/** A page of the entries: FORBIDDEN for all but admins, INVALID_SEARCH as for any search. */
export const listAuditEntries = searching(audit_entries, newestFirst);
