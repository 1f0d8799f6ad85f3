/** Codes that confirm what an agent was told it would do. */
import { expect, test } from '@jest/globals';
import { Encryption } from '../../src/auth/encryption.ts';
import { keysOf } from '../../src/auth/keys.ts';
import { everything } from '../../src/auth/scopes.ts';
import { Fault } from '../../src/errors/errors.ts';
import { confirmationOf, type Intent, requireConfirmation } from '../../src/mcp/confirmation.ts';

const old = 'the secret of before, long enough to sign with';
const encryption = new Encryption(keysOf([old]));
const rotated = new Encryption(keysOf(['a newer secret, long enough to sign with, too', old]));
const other = new Encryption(keysOf(['the secret of another, long enough to sign with']));

const viewer = {
  accountId: 1,
  userId: 2,
  tokenId: 3,
  sessionId: null,
  role: 'admin',
  scopes: everything,
  defaultCountry: null,
} as const;
const intent: Intent = { viewer, tool: 'remove', args: '[["ids",[7]]]', state: '{"remove":[]}' };
const now = Date.parse('2026-03-01T10:00:00Z');
const minutes = 60_000;

const isTaken = (code: string, of: Intent = intent, at = now, by = encryption): boolean => {
  try {
    requireConfirmation(by, of, code, at);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    return false;
  }
};

const code = confirmationOf(encryption, intent, now);

test('a code is taken for five minutes, and not a millisecond longer', () => {
  expect(isTaken(code)).toBe(true);
  expect(isTaken(code, intent, now + 5 * minutes)).toBe(true);
  expect(isTaken(code, intent, now + 5 * minutes + 1)).toBe(false);
});

test('a code is not made to last by another time in it', () => {
  const [, ...rest] = code.split('.');
  for (const until of [now + 6 * minutes, now + 5 * minutes + 1, Number.NaN, -1]) {
    expect(isTaken([until.toString(36), ...rest].join('.'), intent, now + 1)).toBe(false);
  }
});

test.each<readonly [string, Partial<Intent>]>([
  ['another account', { viewer: { ...viewer, accountId: 9 } }],
  ['another user', { viewer: { ...viewer, userId: 9 } }],
  ['another token', { viewer: { ...viewer, tokenId: 9 } }],
  ['another tool', { tool: 'undo' }],
  ['other arguments', { args: '[["ids",[8]]]' }],
  ['a changed state', { state: '{"remove":[{"id":7}]}' }],
  // No two of these may be told apart only by where one ends.
  ['parts that are divided otherwise', { tool: 'remove[', args: '["ids",[7]]]' }],
])('a code is not taken of %s', (_, changed) => {
  expect(isTaken(code, { ...intent, ...changed })).toBe(false);
});

test('a code outlasts the change of the secret, and needs one that the service has', () => {
  expect(isTaken(code, intent, now, rotated)).toBe(true);
  expect(isTaken(confirmationOf(rotated, intent, now), intent, now, encryption)).toBe(false);
  expect(isTaken(code, intent, now, other)).toBe(false);
});

test.each([
  '',
  '.',
  '..',
  'yes',
  `${code}x`,
  code.slice(0, -1),
  code.replaceAll('.', ' '),
  '\ud800',
])('what is no code is not taken: %p', (text) => {
  expect(isTaken(text)).toBe(false);
});
