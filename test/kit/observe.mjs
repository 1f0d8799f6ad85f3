/**
 * Loaded into a service before itself: at SIGUSR2 it tells, in a line of its output, how many
 * requests have come to this process and the memory that it holds (after a collection, if the
 * environment asks for one).
 */
import { subscribe } from 'node:diagnostics_channel';
import { Session } from 'node:inspector/promises';

let requests = 0;
subscribe('http.server.request.start', () => {
  requests += 1;
});

process.on('SIGUSR2', async () => {
  if (process.env.OBSERVED_AFTER_COLLECTION) await collect();
  const { heapUsed, rss } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ observed: process.pid, requests, heapUsed, rss })}\n`);
});

/** It throws away compiled code, too: do without it to measure speed. */
async function collect() {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
