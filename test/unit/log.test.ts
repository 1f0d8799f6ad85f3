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
