import { isNativeError } from 'node:util/types';
import { type DriverAdapterError, isDriverAdapterError } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { Fault, unauthenticated } from '../errors/errors.ts';

/**
 * How a statement broke a rule of the database. `conflict` is cured by doing it again;
 * `unknown_value` is a name that it looks up and does not find, such as that of a time zone.
 */
export type Kind = 'unique' | 'foreign_key' | 'check' | 'not_null' | 'conflict' | 'unknown_value';

/** A broken constraint, for the use case that knows which field to blame. */
export class DatabaseError extends Error {
  readonly kind: Kind;
  /** Name of the constraint or unique index, where PostgreSQL gives it. */
  readonly constraint: string | undefined;

  constructor(kind: Kind, constraint: string | undefined, cause: unknown) {
    super(`${kind}${constraint === undefined ? '' : ` ${constraint}`}`, { cause });
    this.name = 'DatabaseError';
    this.kind = kind;
    this.constraint = constraint;
  }
}

type Meaning =
  | Kind
  | 'unavailable'
  | 'unreadable value'
  | 'value out of range'
  | 'nested too deep'
  | 'too large';

/**
 * The one table of everything that surfaces from PostgreSQL, its driver and Prisma, whatever class
 * wraps it: SQLSTATEs, codes of socket errors and Prisma's own codes, by what they mean. What is not
 * in it is a fault of ours and passes through unchanged.
 */
const table: readonly (readonly [Meaning, readonly string[]])[] = [
  ['unique', ['23505', 'P2002']],
  ['foreign_key', ['23503', '23001', 'P2003']],
  ['check', ['23514', 'P2004']],
  ['not_null', ['23502', 'P2011']],
  ['unknown_value', ['22023']],
  // Serialization failure and deadlock: nothing was done, the next attempt may win.
  ['conflict', ['40001', '40P01', 'P2034']],
  // A NUL or a lone surrogate in a text, in its forms: bad encoding, bad escape in JSON.
  ['unreadable value', ['22021', '22P05']],
  ['value out of range', ['22003', 'P2020']],
  // The server's stack: JSON with thousands of levels.
  ['nested too deep', ['54001']],
  // A text of more than a gigabyte.
  ['too large', ['54000']],
  [
    'unavailable',
    [
      // Stopped by a limit: statement, lock, idle transaction.
      ...['57014', '55P03', '25P03', '25P04', 'P2028'],
      // Prepared statements that server and driver do not agree on: one was sent right behind the
      // statement that was to prepare it, which failed; or a pooler gave the connection to another.
      ...['26000', '42P05'],
      // Read-only, as a standby is after a failover.
      '25006',
      // Full: connections, disk, memory, locks.
      ...['53000', '53100', '53200', '53300', '53400', 'P2024', 'P2037'],
      // Going down, gone, or coming up.
      ...['57P01', '57P02', '57P03', '57P04', '57P05', '58000', '58030'],
      ...['08000', '08001', '08003', '08004', '08006', '08007'],
      // What pgbouncer says for whatever is wrong with it or behind it.
      '08P01',
      ...['P1001', 'P1002', 'P1008', 'P1011', 'P1017'],
      // No such database or role, or the wrong password: an operator is at work.
      ...['3D000', '28000', '28P01', 'P1000', 'P1003', 'P1010'],
      ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
      ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
      // The machine or this process has no descriptor, buffer or port left for a connection.
      ...['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'],
    ],
  ],
];

/** The same table, by code. */
export const meanings: Readonly<Record<string, Meaning>> = Object.fromEntries(
  table.flatMap(([meaning, codes]) => codes.map((code): [string, Meaning] => [code, meaning])),
);

/** The adapter's word for what it gives no code of. */
export const adapterKinds: Readonly<Record<string, Meaning>> = {
  DatabaseNotReachable: 'unavailable',
  ConnectionClosed: 'unavailable',
  SocketTimeout: 'unavailable',
  TlsConnectionError: 'unavailable',
  TooManyConnections: 'unavailable',
  TransactionWriteConflict: 'conflict',
};

/** Errors that carry nothing but a sentence: plain ones of the driver, and some with a code that says
 * "internal" and tell of other servers, which Citus could not reach or lost. */
const sentences: readonly RegExp[] = [
  /^timeout exceeded when trying to connect$/,
  /^timeout expired$/,
  /^Connection terminated/,
  /^Query read timeout$/,
  /^The database does not answer$/,
  /^Client has encountered a connection error and is not queryable$/,
  /^Client was closed and is not queryable$/,
  /^Cannot use a pool after calling end on the pool$/,
  /^could not establish any connections to the node /,
  /^failure on connection marked as essential/,
  /^server closed the connection unexpectedly/,
  /^connection (not open|to server .* failed)/,
  /^failed to execute task \d+/,
  /^terminating connection due to unexpected postmaster exit/,
  /^postmaster was shut down, exiting/,
];

/**
 * What Citus passes on of an insertion from a WITH query: the sentence of the server, with a code
 * of its own.
 */
const passedOn: readonly (readonly [Meaning, RegExp])[] = [
  ['unique', /^duplicate key value violates unique constraint "/],
  ['conflict', /^deadlock detected$/],
  ['unavailable', /^canceling statement due to (lock|statement) timeout$/],
];

const messages: Readonly<Record<Exclude<Meaning, Kind | 'unavailable'>, string>> = {
  'unreadable value': 'A text holds a character that cannot be stored',
  'value out of range': 'A number is out of range',
  'nested too deep': 'A value is nested too deep',
  'too large': 'The answer would be too large',
};

/**
 * The key by which every record belongs to its account; where it breaks, the account was deleted
 * after the caller was let in.
 */
const toAccount = /_account_id_fkey$/;

/**
 * Says what an error from the database means.
 * @returns a {@link DatabaseError} for a broken constraint or a conflict; a Fault UNAVAILABLE
 *   (its `cause` is for the log) or VALIDATION_FAILED, UNAUTHENTICATED when the account was removed a moment
 *   ago; anything else as it came
 */
export function classify(error: unknown): unknown {
  if (error instanceof Fault || error instanceof DatabaseError) return error;
  const symptom = read(error);
  const meaning = symptom && meaningOf(symptom);
  switch (meaning) {
    case undefined:
      return error;
    case 'unavailable':
      return because(error, new Fault('UNAVAILABLE'));
    case 'unreadable value':
    case 'value out of range':
    case 'nested too deep':
    case 'too large':
      return because(error, new Fault('VALIDATION_FAILED', [messages[meaning]]));
    default: {
      const isGone = meaning === 'foreign_key' && toAccount.test(symptom?.constraint ?? '');
      return isGone
        ? because(error, unauthenticated())
        : new DatabaseError(meaning, symptom?.constraint, error);
    }
  }
}

/** The error of a write that built on a record which has changed since it was read. */
export const conflict = (): DatabaseError => new DatabaseError('conflict', undefined, undefined);

/** @returns a function that recognises errors of one kind of broken constraint */
export const isBroken =
  (kind: Kind) =>
  (error: unknown): boolean =>
    error instanceof DatabaseError && error.kind === kind;

/**
 * Whether a statement was stopped because somebody else held a lock for too long.
 * @param at part of the name of the table or index that the lock was about; any when not given
 */
export const isStoppedAtLock = (error: unknown, at = ''): boolean =>
  isStoppedBy(error, '55P03') && (at === '' || contextOf(error).includes(at));

/** What PostgreSQL was about: `while inserting index tuple (0,2) in relation "contacts_pkey"`. */
const contextOf = (error: unknown): string =>
  (error instanceof Fault && text(Object(error.cause), 'where')) || '';

/** Whether what could not be done was stopped by PostgreSQL for a reason, by its SQLSTATE. */
export const isStoppedBy = (error: unknown, code: string): boolean =>
  error instanceof Fault && isNativeError(error.cause) && text(error.cause, 'code') === code;

interface Symptom {
  readonly code: string | undefined;
  readonly kind: string | undefined;
  readonly message: string;
  readonly constraint: string | undefined;
}

function meaningOf({ code, kind, message }: Symptom): Meaning | undefined {
  if (code !== undefined && Object.hasOwn(meanings, code)) return meanings[code];
  if (kind !== undefined && Object.hasOwn(adapterKinds, kind)) return adapterKinds[kind];
  if (sentences.some((sentence) => sentence.test(message))) return 'unavailable';
  return passedOn.find(([, sentence]) => sentence.test(message))?.[0];
}

/** Finds the code and the constraint in whichever of its wrappings an error comes. */
function read(error: unknown): Symptom | undefined {
  if (!isNativeError(error)) return undefined;
  const wrapped = isDriverAdapterError(error) ? error : prismaCause(error);
  if (!wrapped) {
    return {
      code: text(error, 'code') ?? text(error, 'errorCode'),
      kind: undefined,
      message: error.message,
      constraint: plain(text(error, 'constraint')) ?? named(error.message),
    };
  }
  const { cause } = wrapped;
  const message = cause.originalMessage ?? text(cause, 'message') ?? '';
  return {
    code: cause.originalCode ?? text(cause, 'code'),
    kind: cause.kind,
    message,
    constraint: index(cause) ?? named(message),
  };
}

/** Prisma's client hides the adapter's error in its own. */
function prismaCause(error: Error): DriverAdapterError | undefined {
  const meta = property(error, 'meta');
  const inner = property(meta, 'driverAdapterError') ?? error.cause;
  return isNativeError(inner) && isDriverAdapterError(inner) ? inner : undefined;
}

const index = (cause: object) => plain(text(property(cause, 'constraint'), 'index'));

/** PostgreSQL quotes the constraint's name last in its sentence. */
const named = (message: string) => plain(/constraint "([^"]+)"/.exec(message)?.[1]);

/** Citus keeps a table in parts, and puts the number of the part behind every name: `deals_pkey_102008`. */
const plain = (name: string | undefined) => name?.replace(/_\d{6,}$/, '');

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function text(value: unknown, key: string): string | undefined {
  const propertyText = property(value, key);
  return typeof propertyText === 'string' ? propertyText : undefined;
}

/** A fault whose cause is for the log. */
export function because(cause: unknown, fault: Fault): Fault {
  fault.cause = cause;
  return fault;
}

/**
 * SQLSTATEs after which PostgreSQL closes the connection, or should: it leads to a server that is a
 * standby by now; or what server and driver know of prepared statements differs for good, because one
 * is not there, is there already, or returns other columns than it did.
 */
const fatal = /^(08|25P0[34]|57P0|25006|26000|42P05|0A000)/;

/**
 * Whether PostgreSQL refused the statement and the connection remains usable. The severity would
 * not do: it is in the language of the server.
 */
export const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code !== undefined && !fatal.test(error.code);
