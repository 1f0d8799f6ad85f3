import { admin } from './en/admin.ts';
import { base } from './en/base.ts';

export const en = { ...base, ...admin };
