import { admin } from './en/admin.ts';
import { base } from './en/base.ts';
import { team } from './en/team.ts';

export const en = { ...base, ...admin, ...team };
