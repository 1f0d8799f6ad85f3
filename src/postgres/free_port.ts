import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  // Exclusive, for a worker would have its supervisor listen, which goes on after it was closed here, and would be
  // taken to have started.
  const probe = createServer().listen({ port: 0, host: '127.0.0.1', exclusive: true });
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port could be found');
  return address.port;
}
