import { describe, expect, test } from '@jest/globals';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { adapterKinds, classify, DatabaseError, meanings } from '../../src/db/errors.ts';
import { Fault } from '../../src/errors/errors.ts';
import { Prisma } from '../../src/generated/prisma/client.ts';

/** What each row of the table must become, written down a second time on purpose. */
const expected: Readonly<Record<string, readonly string[]>> = {
  unique: ['23505', 'P2002'],
  foreign_key: ['23503', '23001', 'P2003'],
  check: ['23514', 'P2004'],
  not_null: ['23502', 'P2011'],
  unknown_value: ['22023'],
  conflict: ['40001', '40P01', 'P2034'],
  VALIDATION_FAILED: ['22021', '22P05', '22003', 'P2020', '54000', '54001'],
  UNAVAILABLE: [
    ...['57014', '55P03', '25P03', '25P04', 'P2028', '25006', '26000', '42P05'],
    ...['53000', '53100', '53200', '53300', '53400', 'P2024', 'P2037'],
    ...['57P01', '57P02', '57P03', '57P04', '57P05', '58000', '58030'],
    ...['08000', '08001', '08003', '08004', '08006', '08007', '08P01'],
    ...['P1001', 'P1002', 'P1008', 'P1011', 'P1017'],
    ...['3D000', '28000', '28P01', 'P1000', 'P1003', 'P1010'],
    ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
    ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
    ...['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'],
  ],
};

const rows = Object.entries(expected).flatMap(([outcome, codes]) =>
  codes.map((code) => [code, outcome] as const),
);

function outcomeOf(error: unknown): string {
  const found = classify(error);
  if (found instanceof DatabaseError) return found.kind;
  if (found instanceof Fault) return found.code;
  return found === error ? 'unchanged' : 'something else';
}

const coded = (code: string, message = 'said by the database') =>
  Object.assign(new Error(message), { code });

const adapterError = (code: string, message = 'said by the database') =>
  new DriverAdapterError({
    kind: 'postgres',
    code,
    severity: 'ERROR',
    message,
    detail: undefined,
    column: undefined,
    hint: undefined,
    originalCode: code,
    originalMessage: message,
  });

describe('the table', () => {
  test('has no row that is not tested here', () => {
    expect(rows.map(([code]) => code).sort()).toEqual(Object.keys(meanings).sort());
  });

  test.each(rows)('%s is %s, whatever wraps it', (code, outcome) => {
    expect(outcomeOf(coded(code))).toBe(outcome);
    expect(outcomeOf(adapterError(code))).toBe(outcome);
    const known = new Prisma.PrismaClientKnownRequestError('query failed', {
      code: 'P2039',
      clientVersion: 'any',
      meta: { driverAdapterError: adapterError(code) },
    });
    expect(outcomeOf(known)).toBe(outcome);
  });

  test.each([
    ['DatabaseNotReachable', 'UNAVAILABLE'],
    ['ConnectionClosed', 'UNAVAILABLE'],
    ['SocketTimeout', 'UNAVAILABLE'],
    ['TlsConnectionError', 'UNAVAILABLE'],
    ['TooManyConnections', 'UNAVAILABLE'],
    ['TransactionWriteConflict', 'conflict'],
  ])('the adapter’s %s, which has no code, is %s', (kind, outcome) => {
    expect(Object.keys(adapterKinds)).toContain(kind);
    const error = Object.assign(new Error(), { name: 'DriverAdapterError', cause: { kind } });
    expect(outcomeOf(error)).toBe(outcome);
  });

  test.each([
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'The database does not answer',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'Cannot use a pool after calling end on the pool',
  ])('the bare sentence “%s” is UNAVAILABLE', (sentence) => {
    expect(outcomeOf(new Error(sentence))).toBe('UNAVAILABLE');
  });

  test.each([
    'could not establish any connections to the node 10.0.0.7:5432 after 30000 ms',
    'failure on connection marked as essential: 10.0.0.7:5432',
    'server closed the connection unexpectedly',
    'connection not open',
    'connection to server at "10.0.0.7", port 5432 failed: Connection refused',
    'failed to execute task 1',
    'terminating connection due to unexpected postmaster exit',
    'postmaster was shut down, exiting',
  ])(
    'what Citus tells of another server as an internal error, “%s”, is UNAVAILABLE',
    (sentence) => {
      expect(outcomeOf(coded('XX000', sentence))).toBe('UNAVAILABLE');
      expect(outcomeOf(adapterError('XX000', sentence))).toBe('UNAVAILABLE');
    },
  );

  test.each([
    ['duplicate key value violates unique constraint "contacts_pkey_102008"', 'unique'],
    ['deadlock detected', 'conflict'],
    ['canceling statement due to lock timeout', 'UNAVAILABLE'],
    ['canceling statement due to statement timeout', 'UNAVAILABLE'],
  ])('what Citus passes on of an insertion as an internal error, “%s”, is %s', (sentence, kind) => {
    const error = coded('XX000', sentence);
    expect(outcomeOf(error)).toBe(kind);
    if (kind === 'unique') expect(classify(error)).toMatchObject({ constraint: 'contacts_pkey' });
  });

  test('a client that cannot be initialised is UNAVAILABLE by its errorCode', () => {
    const error = new Prisma.PrismaClientInitializationError('no server', 'any', 'P1001');
    expect(outcomeOf(error)).toBe('UNAVAILABLE');
  });
});

describe('what is not in the table', () => {
  test.each([
    ['a syntax error', adapterError('42601')],
    ['a missing table', adapterError('42P01')],
    ['an internal error of the server', adapterError('XX000', 'cache lookup failed')],
    ['a text that is too long', adapterError('22001')],
    ['an error of ours', new TypeError('undefined is not a function')],
    ['a missing file', coded('ENOENT')],
    ['a code that every object has', coded('constructor')],
    ['a text', 'not an error'],
    ['nothing', undefined],
  ])('%s passes through unchanged', (_, error) => {
    expect(outcomeOf(error)).toBe('unchanged');
  });

  test('what was classified stays so', () => {
    const fault = new Fault('NOT_FOUND');
    const broken = new DatabaseError('unique', 'users_email_key', undefined);
    expect(classify(fault)).toBe(fault);
    expect(classify(broken)).toBe(broken);
  });
});

describe('the constraint', () => {
  test('is read from the sentence of a check', () => {
    const message = 'new row for relation "deals" violates check constraint "deals_status_check"';
    expect(classify(adapterError('23514', message))).toMatchObject({
      kind: 'check',
      constraint: 'deals_status_check',
    });
  });

  test('has no number of a part of its table, which Citus puts behind it', () => {
    const message =
      'duplicate key value violates unique constraint "contacts_account_id_email_key_102008"';
    const constraint = 'contacts_account_id_email_key';
    expect(classify(adapterError('23505', message))).toMatchObject({ constraint });
    const told = Object.assign(coded('23505', message), { constraint: `${constraint}_102008` });
    expect(classify(told)).toMatchObject({ constraint });
  });

  test('is the index that the adapter names', () => {
    const error = new DriverAdapterError({
      kind: 'UniqueConstraintViolation',
      constraint: { index: 'users_email_key' },
      originalCode: '23505',
      originalMessage: 'duplicate key',
    });
    expect(classify(error)).toMatchObject({ kind: 'unique', constraint: 'users_email_key' });
  });
});

test('a Fault tells the client nothing of its cause, and the log everything', () => {
  const cause = adapterError('57014', 'canceling statement due to statement timeout');
  const fault = classify(cause);
  expect(fault).toBeInstanceOf(Fault);
  expect(fault).toMatchObject({ messages: ['Service unavailable'], cause });
});
