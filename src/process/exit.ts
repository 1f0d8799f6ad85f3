/** How a process of the service ends. */
import type { Log } from '../telemetry/log.ts';
import { stopMessage } from './messages.ts';

/** Ends the process with what a service resolves to, or with 1 and a sentence on standard error when it throws. */
export async function exitAfter(service: () => Promise<number>): Promise<never> {
  try {
    process.exit(await service());
  } catch (error) {
    const { reportFailure } = await import('./failure.ts');
    reportFailure(error);
    process.exit(1);
  }
}

/** A signal that follows the first this quickly is its echo. */
const echoMs = 500;

/**
 * Resolves when it is time to stop: with 0 after a signal, with 1 after an error of ours. A worker
 * also gets the signal from its supervisor, which a terminal's Ctrl-C reaches as well.
 */
export function awaitEnd(log: Log): Promise<number> {
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
