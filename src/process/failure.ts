import { ConfigError } from '../config/config.ts';
import { classify } from '../db/errors.ts';
import { Fault } from '../errors/errors.ts';

/** Reports on standard error why a command or the service failed. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`${describe(classify(error))}\n`);
}

/** Why something failed, in a sentence for the operator. */
export function describe(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Fault) {
    return error.code === 'UNAVAILABLE'
      ? `The database is not available: ${reason(error.cause)}`
      : error.messages.join('; ');
  }
  if (isInUse(error)) return `Port ${error.port} is in use: set PORT or ADMIN_PORT to another`;
  return reason(error);
}

const isInUse = (error: unknown): error is Error & { readonly port: number } =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error;

/** The innermost message of an error that wraps others. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? String(error);
  const inner = error.cause;
  if (inner instanceof Error && error.message === '') return reason(inner);
  if (typeof inner === 'object' && inner !== null && 'originalMessage' in inner) {
    return String(inner.originalMessage);
  }
  return error.message || error.name;
}
