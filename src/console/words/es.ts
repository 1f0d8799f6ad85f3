import { admin } from './es/admin.ts';
import { base } from './es/base.ts';

export const es = { ...base, ...admin };
