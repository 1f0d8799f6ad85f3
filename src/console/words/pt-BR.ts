import { admin } from './pt-BR/admin.ts';
import { base } from './pt-BR/base.ts';
import { team } from './pt-BR/team.ts';

export const ptBR = { ...base, ...admin, ...team };
