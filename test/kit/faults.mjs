/**
 * Loaded into a service before itself: at SIGUSR2 it begins to block the event loop for 400 ms of each second, and
 * at SIGWINCH to hold nearly all memory that it may have; at the next of each it ends that.
 */

import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

let blocking;
let holding;
let ballast = [];

const block = () => {
  const end = performance.now() + 400;
  while (performance.now() < end);
};

/** Little by little: who does not answer for five seconds is replaced. */
const hold = () => {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  if (used > 0.88 * limit) return;
  // Numbers, which a collection need not look through.
  for (let n = 0; n < 10; n += 1) ballast.push(new Array(100_000).fill(0.5));
};

/** What is not held any more counts until it is collected, and a service with little to do collects seldom. */
const collect = () => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
};

if (isMainThread) {
  process.on('SIGUSR2', () => {
    clearInterval(blocking);
    blocking = blocking ? undefined : setInterval(block, 1000);
  });
  process.on('SIGWINCH', () => {
    clearInterval(holding);
    holding = holding ? undefined : setInterval(hold, 50);
    ballast = [];
    if (!holding) collect();
  });
}
