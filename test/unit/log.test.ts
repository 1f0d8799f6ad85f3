import { expect, test } from '@jest/globals';
import { createLog } from '../../src/telemetry/log.ts';

function logged(level: 'info' | 'silent', write: (log: ReturnType<typeof createLog>) => void) {
  const lines: string[] = [];
  write(createLog(level, { write: (line) => lines.push(line) }));
  return lines;
}

test('a line is one JSON object with its level by name and its time', () => {
  const [line = '', ...others] = logged('info', (log) => log.info({ port: 8443 }, 'listening'));
  expect(others).toEqual([]);
  expect(JSON.parse(line)).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    port: 8443,
    msg: 'listening',
  });
});

test.each([
  'authorization',
  'password',
  'password_confirmation',
  'password_hash',
  'token',
  'jwtSecret',
  'cookie',
  'client',
  'detail',
  'where',
  'hint',
  'internalQuery',
])('the value of %s is never written, however deep it lies', (field) => {
  const secret = { [field]: 'hunter2' };
  const lines = logged('info', (log) => {
    log.info(secret, 'one');
    log.info({ request: secret }, 'two');
    log.info({ request: { headers: secret } }, 'three');
  });
  expect(lines).toHaveLength(3);
  expect(lines.join('')).not.toContain('hunter2');
});

test('what is below the level is not written', () => {
  expect(logged('info', (log) => log.debug('detail'))).toEqual([]);
  expect(logged('silent', (log) => log.fatal('everything'))).toEqual([]);
});

test('an error of PostgreSQL is told without the values that it quotes', () => {
  const refused = Object.assign(
    new Error('invalid input syntax for type bigint: "ana@example.com"'),
    {
      code: '22P02',
      detail: 'Key (email)=(ana@example.com) already exists.',
      where: "unnamed portal parameter $1 = 'ana@example.com'",
    },
  );
  const own = new Error('could not be written', { cause: refused });
  const lines = logged('info', (log) => {
    log.error({ err: refused }, 'one');
    log.error({ err: own }, 'two');
  });
  expect(lines.join('')).not.toContain('ana@');
  expect(lines.map((line) => JSON.parse(line).err.message)).toEqual([
    'invalid input syntax for type bigint: "[hidden]"',
    'could not be written: invalid input syntax for type bigint: "[hidden]"',
  ]);
});

test('an error of PostgreSQL about its own names keeps them', () => {
  const missing = Object.assign(new Error('relation "contacts" does not exist'), { code: '42P01' });
  const [line = ''] = logged('info', (log) => log.error({ err: missing }, 'one'));
  expect(JSON.parse(line).err.message).toBe('relation "contacts" does not exist');
});
