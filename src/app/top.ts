import type { FastifyInstance } from 'fastify';
import type { OpenDatabase } from '../db/open.ts';
import { countTokens, type Top } from '../http/top.ts';

/** Begins to note who uses how much, until `close`. */
export function watchUse(
  server: FastifyInstance,
  { figures: { accounts } }: Pick<OpenDatabase, 'figures'>,
): { top(): Top; close(): void } {
  const tokens = countTokens(server);
  const turning = setInterval(() => {
    tokens.turn();
    accounts.turn();
  }, 60_000).unref();
  return {
    top: () => ({ accounts: accounts.heaviest(), tokens: tokens.heaviest() }),
    close: () => clearInterval(turning),
  };
}
