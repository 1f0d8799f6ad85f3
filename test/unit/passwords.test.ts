import { expect, test } from '@jest/globals';
import { hashPassword, setPasswordCost, verifyPassword } from '../../src/auth/passwords.ts';

test('the hash matches its password and no other', async () => {
  const hash = await hashPassword('correct horse', 'a');
  expect(await verifyPassword('correct horse', hash, 'a')).toBe(true);
  expect(await verifyPassword('correct horsé', hash, 'a')).toBe(false);
  expect(await verifyPassword('', hash, 'a')).toBe(false);
});

test('a hash costs what production wants unless configured, and is verified at the cost that it was made with', async () => {
  const hash = await hashPassword('correct horse', 'a');
  expect(hash).toMatch(/^scrypt\$32768\$8\$1\$/);
  setPasswordCost(1024);
  const cheap = await hashPassword('correct horse', 'a');
  expect(cheap).toMatch(/^scrypt\$1024\$8\$1\$/);
  for (const each of [hash, cheap]) {
    expect(await verifyPassword('correct horse', each, 'a')).toBe(true);
    expect(await verifyPassword('correct horsé', each, 'a')).toBe(false);
  }
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
