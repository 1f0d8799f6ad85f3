import { expect, test } from '@jest/globals';
import { hashPassword, verifyPassword } from '../../src/auth/passwords.ts';

test('the hash matches its password and no other', async () => {
  const hash = await hashPassword('correct horse', 'a');
  expect(await verifyPassword('correct horse', hash, 'a')).toBe(true);
  expect(await verifyPassword('correct horsé', hash, 'a')).toBe(false);
  expect(await verifyPassword('', hash, 'a')).toBe(false);
});

test('every hash has a salt of its own and shows nothing of the password', async () => {
  const [one, two] = await Promise.all([hashPassword('secret', 'a'), hashPassword('secret', 'a')]);
  expect(one).not.toBe(two);
  expect(one).toMatch(/^scrypt\$\d+\$\d+\$\d+\$[\w-]+\$[\w-]+$/);
  expect(one).not.toContain('secret');
});

test('a password matches however its characters were composed', async () => {
  expect(await verifyPassword('cafe\u0301', await hashPassword('caf\u00e9', 'a'), 'a')).toBe(true);
});

test.each(['', 'plain', 'scrypt$1$2$3$4', 'bcrypt$32768$8$1$c2FsdA$a2V5'])(
  'what is no hash (%j) matches no password',
  async (hash) => {
    expect(await verifyPassword('plain', hash, 'a')).toBe(false);
  },
);
