import { activities } from './es/activities.ts';
import { admin } from './es/admin.ts';
import { base } from './es/base.ts';
import { imports } from './es/imports.ts';
import { team } from './es/team.ts';
import { webhooks } from './es/webhooks.ts';

export const es = { ...base, ...activities, ...admin, ...team, ...imports, ...webhooks };
