import { tables as stored } from '../../src/generated/shapes.ts';

/** Every table that holds records of an account, but for what lets its users in. */
export const tables: readonly string[] = Object.keys(stored).filter(
  (name) => !['api_tokens', 'sessions', 'sign_in_codes'].includes(name),
);
