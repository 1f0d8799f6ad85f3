import { activities } from './pt-BR/activities.ts';
import { admin } from './pt-BR/admin.ts';
import { base } from './pt-BR/base.ts';
import { imports } from './pt-BR/imports.ts';
import { team } from './pt-BR/team.ts';
import { webhooks } from './pt-BR/webhooks.ts';

export const ptBR = { ...base, ...activities, ...admin, ...team, ...imports, ...webhooks };
