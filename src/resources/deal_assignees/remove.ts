import { deleting } from '../kernel/write.ts';
import { deal_assignees } from './record.ts';

/** Takes a user off a deal, by the id of the assignment. */
export const removeAssignee = deleting(deal_assignees);
