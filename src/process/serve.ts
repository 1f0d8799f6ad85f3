import cluster from 'node:cluster';
import { readConfig } from '../config/config.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { stopMessage } from './messages.ts';
import { patienceMs, superviseWorkers } from './supervisor.ts';

/**
 * Runs the service until SIGTERM or SIGINT, then lets requests in flight finish and stops
 * everything that it started. A second signal ends the process at once.
 * @param patience see {@link superviseWorkers}
 * @returns the process's exit code
 * @throws {ConfigError} and whatever keeps the service from starting
 */
export async function serve(env: NodeJS.ProcessEnv, patience = patienceMs): Promise<number> {
  const config = readConfig(env);
  const log = createLog(config.logLevel);
  const ending = awaitEnd(log);
  if (cluster.isPrimary) return superviseWorkers(config, log, ending, patience);
  // The supervisor need not load what serves requests.
  const { work } = await import('./worker.ts');
  return work(config, log, ending);
}

/** A signal that follows the first this quickly is its echo. */
const echoMs = 500;

/**
 * Resolves when it is time to stop: with 0 after a signal, with 1 after an error of ours. A worker
 * also gets the signal from its supervisor, which a terminal's Ctrl-C reaches as well.
 */
function awaitEnd(log: Log): Promise<number> {
  return new Promise((resolve) => {
    let endingSince: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        // A shell, npm or a supervisor may pass on a signal that came to its whole group.
        if (endingSince !== undefined && Date.now() - endingSince > echoMs) process.exit(1);
        if (endingSince !== undefined) return;
        endingSince = Date.now();
        log.info({ signal }, 'shutting down');
        resolve(0);
      });
    }
    process.on('message', (message) => {
      if (message !== stopMessage) return;
      endingSince ??= Date.now();
      resolve(0);
    });
    // Nobody would stop a worker whose supervisor is gone.
    process.on('disconnect', () => resolve(1));
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        log.fatal({ err: error }, event);
        endingSince ??= Date.now();
        resolve(1);
      });
    }
  });
}
