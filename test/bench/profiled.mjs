/**
 * Loaded into a program before itself: at SIGUSR2 V8 begins to sample what this process does, and at the
 * next one the profile is written to the file that PROFILED_TO names. Each is reported in a line of its
 * output.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
// In microseconds.
await session.post('Profiler.setSamplingInterval', { interval: 200 });
let running = false;

process.on('SIGUSR2', async () => {
  if (running) {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(process.env.PROFILED_TO, JSON.stringify(profile));
  } else await session.post('Profiler.start');
  running = !running;
  process.stdout.write('{"profiled":true}\n');
});
