import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { because } from '../../src/db/errors.ts';
import { Fault } from '../../src/errors/errors.ts';
import { logError } from '../../src/http/errors.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const warned: unknown[][] = [];
const log = {
  warn: (...said: unknown[]) => void warned.push(said),
  error: (...said: unknown[]) => void warned.push(said),
};

const refused = (code: string, message: string) =>
  because(Object.assign(new Error(message), { code }), new Fault('UNAVAILABLE'));

test('of refusals for one reason one is told at once, the others of its second together, none with a stack', () => {
  warned.length = 0;
  for (let port = 1; port <= 20; port += 1)
    logError(() => log, refused('ETIMEDOUT', `no way by ${port}`));
  logError(() => log, refused('53300', 'too many clients'));
  logError(() => log, new Fault('UNAVAILABLE', ['The database is busy']));
  const first = { code: 'ETIMEDOUT', reason: 'no way by 1' };
  const once = [
    [first, 'request refused'],
    [{ code: '53300', reason: 'too many clients' }, 'request refused'],
    [{ code: undefined, reason: 'The database is busy' }, 'request refused'],
  ];
  expect(warned).toEqual(once);
  jest.advanceTimersByTime(1000);
  expect(warned).toEqual([...once, [{ ...first, requests: 19 }, 'more requests refused']]);
  logError(() => log, refused('ETIMEDOUT', 'no way by 1'));
  expect(warned.at(-1)).toEqual([first, 'request refused']);
});

test('a fault of ours is logged each time, with its stack', () => {
  warned.length = 0;
  const error = new Error('ours');
  logError(() => log, error);
  logError(() => log, error);
  expect(warned).toEqual([
    [{ err: error }, 'request failed'],
    [{ err: error }, 'request failed'],
  ]);
});
