import { readConfig } from '../config/config.ts';
import { createLog } from '../telemetry/log.ts';
import { awaitEnd } from './exit.ts';
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
  return superviseWorkers(config, log, awaitEnd(log), patience);
}
