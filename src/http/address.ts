import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';

/** Where a server listens: `https://127.0.0.1:8443`. */
export function addressOf(
  { server }: FastifyInstance,
  config: Pick<Config, 'host' | 'port'>,
  scheme: 'http' | 'https',
): string {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : config.port;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${scheme}://${host}:${port}`;
}
