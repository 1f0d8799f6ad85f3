import { admin } from './de/admin.ts';
import { base } from './de/base.ts';

export const de = { ...base, ...admin };
