/** Who has used most of late, for an operator who proves to be one. */
import type { FastifyInstance } from 'fastify';
import { isOperator } from '../auth/operator_pass.ts';
import { unauthenticated } from '../errors/errors.ts';
import { heaviestOf, RecentUse, type Use } from '../lib/recent_use.ts';

/** Of the last ten minutes. */
export interface Top {
  /** By the time of their statements in the database. */
  readonly accounts: readonly Use[];
  /** By the time of their requests. */
  readonly tokens: readonly Use[];
}

export const isTop = (value: unknown): value is Top =>
  typeof value === 'object' && value !== null && 'accounts' in value && 'tokens' in value;

/** What several processes say together. */
export const mergeTops = (tops: readonly Top[]): Top => ({
  accounts: heaviestOf(tops.map(({ accounts }) => accounts)),
  tokens: heaviestOf(tops.map(({ tokens }) => tokens)),
});

/** Counts the requests of each token, and their time. */
export function countTokens(server: FastifyInstance): RecentUse {
  const tokens = new RecentUse();
  server.addHook('onResponse', ({ viewer }, reply, done) => {
    if (viewer && viewer.tokenId !== null) {
      tokens.note(viewer.tokenId, viewer.accountId, reply.elapsedTime);
    }
    done();
  });
  return tokens;
}

/** Adds `GET /top`. */
export function addTop(
  admin: FastifyInstance,
  top: () => Promise<Top>,
  secrets: () => Promise<readonly string[]>,
): void {
  admin.get('/top', async (request, reply) => {
    if (!isOperator(await secrets(), request.headers.authorization)) throw unauthenticated();
    reply.header('cache-control', 'no-store');
    return top();
  });
}
