import { activities } from './en/activities.ts';
import { admin } from './en/admin.ts';
import { base } from './en/base.ts';
import { imports } from './en/imports.ts';
import { team } from './en/team.ts';
import { webhooks } from './en/webhooks.ts';

export const en = { ...base, ...activities, ...admin, ...team, ...imports, ...webhooks };
