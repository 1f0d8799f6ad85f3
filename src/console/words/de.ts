import { activities } from './de/activities.ts';
import { admin } from './de/admin.ts';
import { base } from './de/base.ts';
import { imports } from './de/imports.ts';
import { team } from './de/team.ts';
import { webhooks } from './de/webhooks.ts';

export const de = { ...base, ...activities, ...admin, ...team, ...imports, ...webhooks };
