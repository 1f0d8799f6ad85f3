/** Connections that no longer answer. */
import { Socket } from 'node:net';
import type pg from 'pg';

declare module 'pg' {
  interface ClientBase {
    /** Whether all that was sent is answered. */
    readonly readyForQuery: boolean;
  }
}

/** How often to look for them, in milliseconds. */
const looking = 100;

/** A connection, and what was seen of it when it had last been sent something or had answered all. */
interface ConnectionActivity {
  sent: number;
  since: number;
}

/**
 * Closes a pool's connections that owe an answer for too long, which fails all that waits for one there. The
 * driver would set a timer for each statement instead, whose callback V8 creates among its old objects: for a
 * write those took a tenth of this process's time.
 * @param ms how long an answer may take from the last of what was sent, or a little longer
 */
export function closeUnresponsive(pool: pg.Pool, ms: number): void {
  const watched = new Map<pg.PoolClient, ConnectionActivity>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const now = performance.now();
    for (const [client, seen] of watched) {
      const { stream } = client.connection;
      const bytes = stream instanceof Socket ? stream.bytesWritten : 0;
      if (client.readyForQuery || bytes !== seen.sent) {
        seen.sent = bytes;
        seen.since = now;
      } else if (now - seen.since > ms) {
        stream.destroy(new Error('The database does not answer'));
      }
    }
  };
  pool.on('connect', (client) => {
    watched.set(client, { sent: 0, since: performance.now() });
    timer ??= setInterval(look, looking).unref();
  });
  pool.on('remove', (client) => {
    watched.delete(client);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
}
