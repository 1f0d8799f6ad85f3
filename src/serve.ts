import cluster from 'node:cluster';
import { startApp } from './app.ts';
import { type Config, readConfig } from './config.ts';
import { type Begun, demoOnFirstStart, welcome } from './demo/first_start.ts';
import { unreachable } from './http/health.ts';
import { type Link, linksOf } from './http/pages/links.ts';
import { createLog, type Log } from './telemetry/log.ts';
import { type Health, healthMessage, stopMessage, superviseWorkers } from './workers.ts';

/**
 * Runs the service until SIGTERM or SIGINT, then lets requests in flight finish and stops
 * everything that it started. A second signal ends the process at once.
 * @returns the process's exit code
 * @throws {ConfigError} and whatever keeps the service from starting
 */
export async function serve(env: NodeJS.ProcessEnv): Promise<number> {
  const config = readConfig(env);
  const log = createLog(config.logLevel);
  const ending = awaitEnd(log);
  if (cluster.isPrimary && config.workers > 1) return superviseWorkers(config, log, ending);
  return work(config, log, ending);
}

/** One process of the service. */
async function work(config: Config, log: Log, ending: Promise<number>): Promise<number> {
  let begun: Begun | undefined;
  const isFirst = cluster.isPrimary || cluster.worker?.id === 1;
  const say = (text: string) => {
    if (isFirst) process.stdout.write(text);
  };
  const app = await startApp(config, {
    log,
    onStep: (doing) => say(`${doing} …\n`),
    beforeListening: async (database, keys) => {
      begun = await demoOnFirstStart(config, database, keys);
    },
  });
  say(greeting(app.url, linksOf(config.graphiql)));
  process.on('message', async (message) => {
    if (message !== healthMessage) return;
    const health: Health = { obstacle: await app.obstacle().catch(unreachable) };
    process.send?.(health);
  });
  if (begun) {
    process.stdout.write(await welcome(begun, app.url, config, process.stdout.isTTY));
  }
  const code = await ending;
  await app.close();
  log.info('stopped');
  return code;
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

function greeting(url: string, links: readonly Link[]): string {
  const lines = links.map(
    ({ path, title, purpose }) => `  ${url}${path}  (${title}: ${purpose})\n`,
  );
  return `Sales CRM listens on ${url}\n${lines.join('')}`;
}
