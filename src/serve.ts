import { startApp } from './app.ts';
import { demoOnFirstStart } from './cli/demo.ts';
import { readConfig } from './config.ts';
import { createLog, type Log } from './telemetry/log.ts';

/**
 * Runs the service until SIGTERM or SIGINT, then lets requests in flight finish and stops
 * everything that it started. A second signal ends the process at once.
 * @returns the process's exit code
 * @throws {ConfigError} and whatever keeps the service from starting
 */
export async function serve(env: NodeJS.ProcessEnv): Promise<number> {
  const config = readConfig(env);
  const log = createLog(config.logLevel);
  const end = awaitEnd(log);
  let demo: string | undefined;
  const app = await startApp(config, {
    log,
    beforeListening: async (database) => {
      demo = await demoOnFirstStart(config, database);
    },
  });
  process.stdout.write(`Sales CRM listens on ${app.url}\n`);
  if (demo !== undefined) process.stdout.write(welcome(app.url, demo));
  const code = await end;
  await app.close();
  log.info('stopped');
  return code;
}

/** Resolves when it is time to stop: with 0 after a signal, with 1 after an error of ours. */
function awaitEnd(log: Log): Promise<number> {
  return new Promise((resolve) => {
    let ending = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (ending) process.exit(1);
        ending = true;
        log.info({ signal }, 'shutting down');
        resolve(0);
      });
    }
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        log.fatal({ err: error }, event);
        ending = true;
        resolve(1);
      });
    }
  });
}

const welcome = (url: string, token: string): string => `
A demo account was created. This is its first page of deals:

  curl -k -X POST ${url}/api/v1/accounts/1/deals/search \\
    -H 'Authorization: Bearer ${token}' \\
    -H 'Content-Type: application/json' \\
    -d '{"query": {"status_eq": "open"}}'

`;
