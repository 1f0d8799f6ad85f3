/** The secrets that sign tokens, as they are used. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { minSecretBytes } from '../config/strength.ts';

/**
 * What a process signs and verifies with, by the `kid` that tokens bear: first that of `JWT_SECRET`, then
 * those of `JWT_SECRET_PREVIOUS`. Keys are made once, because to verify with a text costs fifty times as
 * much.
 */
export type Keys = ReadonlyMap<string, KeyObject>;

/** @param secrets at least one, of 32 bytes or more each */
export function keysOf(secrets: readonly string[]): Keys {
  if (secrets.some((secret) => Buffer.byteLength(secret) < minSecretBytes)) {
    throw new Error(`JWT_SECRET must have at least ${minSecretBytes} bytes`);
  }
  return new Map(secrets.map((secret) => [fingerprintOf(secret), createSecretKey(secret, 'utf8')]));
}

/** The `kid` of the first secret. */
export function ownKid(keys: Keys): string {
  const [kid] = keys.keys();
  if (kid === undefined) throw new Error('there is no secret to sign with');
  return kid;
}

/**
 * Identifies a secret without revealing anything of it: 16 characters. It is keyed with the secret, so
 * that it cannot be the signature of anything but these words.
 */
export const fingerprintOf = (secret: string): string =>
  createHmac('sha256', secret)
    .update('fingerprint of a secret that signs tokens')
    .digest('base64url')
    .slice(0, 16);
