import { randomBytes } from 'node:crypto';

/** How long the secret of before signs as well, in hours. */
export const overlapHours = 24;

/** A new secret in the form of Standard Webhooks, of 32 random bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
