import { admin } from './pt-BR/admin.ts';
import { base } from './pt-BR/base.ts';

export const ptBR = { ...base, ...admin };
