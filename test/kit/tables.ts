import { tables as stored } from '../../src/generated/shapes.ts';

/** Every table that holds records of an account, but for its tokens. */
export const tables: readonly string[] = Object.keys(stored).filter(
  (name) => name !== 'api_tokens',
);
