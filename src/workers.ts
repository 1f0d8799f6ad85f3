/** Several processes on one port, to use all cores; each of them is the whole service. */
import cluster, { type Worker } from 'node:cluster';
import { on, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';
import { openAdmin } from './http/admin.ts';
import { Allowances, type Answering, answer, isAsking } from './http/allowance.ts';
import type { Log } from './telemetry/log.ts';
import { workersMetrics } from './telemetry/metrics.ts';

/** Tells a worker to finish what it has in hand and exit. */
export const stopMessage = 'stop';

/** Asked of a worker, which answers with its {@link Health}. */
export const healthMessage = 'health';

export interface Health {
  /** Why the worker should get no requests; null when it should. */
  readonly obstacle: string | null;
}

const isHealth = (message: unknown): message is Health =>
  typeof message === 'object' && message !== null && 'obstacle' in message;

/** A worker that does not answer within this time counts as down. */
const healthMs = 3000;

/** The pause before restarting a worker that did not even start. */
const restartPauseMs = 1000;
/**
 * After this and the configured delay a worker that has not exited is killed: the service must stop
 * within ten seconds.
 */
const graceMs = 9000;

/**
 * Starts the workers, replaces those that die, and stops all of them with the process.
 * @param ending resolves with the exit code when it is time to stop
 * @returns the process's exit code; 1 when not even the first worker starts
 */
export async function superviseWorkers(
  config: Config,
  log: Log,
  ending: Promise<number>,
): Promise<number> {
  // Whatever program started this process, a worker is the service alone.
  cluster.setupPrimary({ exec: fileURLToPath(new URL('./main.js', import.meta.url)) });
  let stopping = false;
  let started = false;
  const listening = new Set<Worker>();
  const allowances = new Allowances(config.rateLimit ?? Number.POSITIVE_INFINITY);
  const start = (): Worker => {
    const worker = cluster.fork();
    worker.on('message', (message) => {
      if (!isAsking(message)) return;
      const answered = answer(allowances, config.workers, message);
      if (answered) tell(worker, answered);
    });
    worker.on('listening', () => {
      listening.add(worker);
      // A message sent before the worker listens for it is lost.
      if (stopping) tell(worker, stopMessage);
    });
    worker.on('exit', async (code, signal) => {
      const worked = listening.delete(worker);
      if (stopping || !started) return;
      log.error({ worker: worker.process.pid, code, signal }, 'a worker died and is replaced');
      if (!worked) await sleep(restartPauseMs);
      if (!stopping) start();
    });
    return worker;
  };
  // The first sets up what all of them share: the embedded database, migrations, the demo account.
  const first = start();
  started = await Promise.race([
    once(first, 'listening').then(() => true),
    once(first, 'exit').then(() => false),
  ]);
  if (!started) return 1;
  for (let more = 1; more < config.workers; more += 1) start();

  const admin =
    config.adminPort === undefined
      ? undefined
      : await openAdmin({
          host: config.adminHost,
          port: config.adminPort,
          obstacle: async () => {
            if (stopping) return 'shutting down';
            const [worker] = listening;
            return worker ? obstacleOf(worker) : 'no worker listens';
          },
          metrics: workersMetrics(),
        });
  const code = await ending;
  stopping = true;
  await stopAll(config.shutdownDelayMs + graceMs);
  await admin?.close();
  return code;
}

/** Sending to a dying worker fails: without a callback that would be an uncaught error. */
function tell(worker: Worker, message: string | Answering): void {
  worker.send(message, () => undefined);
}

/** What one worker reports about itself, and so about the database that all share. */
async function obstacleOf(worker: Worker): Promise<string | null> {
  const late = AbortSignal.timeout(healthMs);
  tell(worker, healthMessage);
  try {
    for await (const [message] of on(worker, 'message', { signal: late })) {
      if (isHealth(message)) return message.obstacle;
    }
  } catch (error) {
    if (!late.aborted) throw error;
  }
  return 'a worker does not answer';
}

/** @param patienceMs after which a worker is killed */
async function stopAll(patienceMs: number): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  await Promise.all(
    workers.map(async (worker) => {
      if (worker.isDead()) return;
      const ended = once(worker, 'exit');
      const kill = setTimeout(() => worker.process.kill('SIGKILL'), patienceMs);
      tell(worker, stopMessage);
      await ended;
      clearTimeout(kill);
    }),
  );
}
