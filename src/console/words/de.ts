import { admin } from './de/admin.ts';
import { base } from './de/base.ts';
import { team } from './de/team.ts';

export const de = { ...base, ...admin, ...team };
