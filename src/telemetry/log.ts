import { type DestinationStream, pino } from 'pino';
import type { Config } from '../config.ts';

/** The service's log: one JSON object per line, on standard error. */
export type Log = ReturnType<typeof createLog>;

/** Fields whose values must not appear in the log, at the top and one or two levels down. */
const secretFields = [
  'authorization',
  'password',
  'password_confirmation',
  'password_hash',
  'secret',
  'jwtSecret',
  'token',
  'cookie',
  'args',
  'values',
  // The driver's connection, which its errors carry: statements, and the key to cancel them.
  'client',
];

/**
 * @param to where lines go; standard error when not given, because standard output belongs to
 *   what a command prints
 */
export function createLog(
  level: Config['logLevel'],
  to: DestinationStream = pino.destination({ fd: 2, sync: true }),
) {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: '[hidden]',
      },
    },
    to,
  );
}
