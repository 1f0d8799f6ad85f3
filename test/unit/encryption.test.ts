import { createCipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Encryption } from '../../src/auth/encryption.ts';
import { keysOf } from '../../src/auth/keys.ts';

const secret = 'a secret of more than thirty-two bytes';
const seals = new Encryption(keysOf([secret]));
const long = 48 * 1024;

const texts = [
  0,
  1,
  2,
  3,
  long - 1,
  long,
  long + 1,
  long + 15,
  long + 16,
  2 * long,
  300_000,
].flatMap((length) => [
  'x'.repeat(length),
  '€'.repeat(length / 3),
  `${'x'.repeat(length % 7)}😀ü`.repeat(length / 9),
]);

test('texts of any length come back as they were sealed', () => {
  for (const text of texts) {
    expect(seals.decrypt(seals.kid, seals.encrypt(text, 'here'), 'here') === text).toBe(true);
  }
});

test('what was sealed in one go can be opened', () => {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'sealed texts', 32)));
  for (const text of texts) {
    const nonce = randomBytes(12);
    const sealing = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from('here'));
    const parts = [nonce, sealing.update(text), sealing.final(), sealing.getAuthTag()];
    const sealed = Buffer.concat(parts).toString('base64url');
    expect(seals.decrypt(seals.kid, sealed, 'here') === text).toBe(true);
  }
});

test('what was altered anywhere, or sealed for another place, is not opened', () => {
  for (const text of ['', 'a', 'x'.repeat(long), 'x'.repeat(200_000)]) {
    const sealed = seals.encrypt(text, 'here');
    expect(() => seals.decrypt(seals.kid, sealed, 'there')).toThrow();
    for (const at of [0, 15, 16, sealed.length >> 1, sealed.length - 20, sealed.length - 2]) {
      const altered = sealed[at] === 'A' ? 'B' : 'A';
      const other = `${sealed.slice(0, at)}${altered}${sealed.slice(at + 1)}`;
      expect(() => seals.decrypt(seals.kid, other, 'here')).toThrow();
    }
  }
});
