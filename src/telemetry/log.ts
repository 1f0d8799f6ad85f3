import { type DestinationStream, pino } from 'pino';
import type { Config } from '../config/config.ts';

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
  // What PostgreSQL adds to its errors repeats values, which an erasure would not reach.
  'detail',
  'where',
  'hint',
  'internalQuery',
];

/** Errors of PostgreSQL about data, by their SQLSTATE, quote in their message what could not be read. */
const isAboutData = /^22/;

/** Serialises an error, with what is quoted in such a message left out. */
function errorShown(error: Error): object {
  const json = pino.stdSerializers.err(error);
  let { message = '', stack = '' } = json;
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const { code, message: said } = Object(one);
    if (!isAboutData.test(String(code)) || said === '') continue;
    const masked = said.replace(/".*"/s, '"[hidden]"');
    message = message.replaceAll(said, masked);
    stack = stack.replaceAll(said, masked);
  }
  return { ...json, message, stack };
}

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
      serializers: { err: errorShown },
      redact: {
        paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: '[hidden]',
      },
    },
    to,
  );
}
