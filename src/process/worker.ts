/** The program of a worker, which the supervisor starts. */
import cluster from 'node:cluster';
import { startApp } from '../app/app.ts';
import { readConfig } from '../config/config.ts';
import { demoOnFirstStart, type FirstStart, welcome } from '../demo/first_start.ts';
import { unreachable } from '../http/health.ts';
import { type Link, linksOf } from '../http/pages/links.ts';
import type { Top } from '../http/top.ts';
import { createLog } from '../telemetry/log.ts';
import { ownMeasures } from '../telemetry/metrics.ts';
import { awaitEnd, exitAfter } from './exit.ts';
import {
  aliveMessage,
  allMetricsMessage,
  beatMs,
  type Health,
  healthMessage,
  type Measures,
  metricsMessage,
  topMessage,
} from './messages.ts';

/**
 * Runs the whole service in this process until the supervisor has it stop.
 * @returns the process's exit code
 * @throws {ConfigError} and whatever keeps the service from starting
 */
async function work(env: NodeJS.ProcessEnv): Promise<number> {
  const config = readConfig(env);
  const log = createLog(config.logLevel);
  const ending = awaitEnd(log);
  let begun: FirstStart | undefined;
  const say = (text: string) => {
    if (cluster.worker?.id === 1) process.stdout.write(text);
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
    if (message === healthMessage) {
      send<Health>({ obstacle: await app.obstacle().catch(unreachable) });
    }
    if (message === topMessage) send<Top>(app.top());
    const withShared = message === allMetricsMessage;
    if (withShared || message === metricsMessage) {
      send<Measures>({ metrics: await ownMeasures({ withShared }) });
    }
  });
  beat();
  if (begun) {
    process.stdout.write(await welcome(begun, app.url, config, process.stdout.isTTY));
  }
  const code = await ending;
  await app.close();
  log.info('stopped');
  return code;
}

/** Sends to the supervisor; one that is gone takes its workers with it. */
function send<T extends object | string>(message: T, sent?: (error: Error | null) => void): void {
  process.send?.(message, undefined, undefined, sent ?? (() => undefined));
}

/** Shows the supervisor that the event loop turns. The next sign waits until this one has left. */
function beat(): void {
  send(aliveMessage, (error) => {
    if (!error) setTimeout(beat, beatMs).unref();
  });
}

function greeting(url: string, links: readonly Link[]): string {
  const lines = links.map(
    ({ path, title, purpose }) => `  ${url}${path}  (${title}: ${purpose})\n`,
  );
  return `Sales CRM listens on ${url}\n${lines.join('')}`;
}

// Without a supervisor this is only being compiled, see code_cache.ts.
if (cluster.isWorker) void exitAfter(() => work(process.env));
