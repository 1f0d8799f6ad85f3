import { admin } from './en/admin.ts';
import { base } from './en/base.ts';
import { imports } from './en/imports.ts';
import { team } from './en/team.ts';
import { webhooks } from './en/webhooks.ts';

export const en = { ...base, ...admin, ...team, ...imports, ...webhooks };
