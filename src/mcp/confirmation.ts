/**
 * Codes that confirm what cannot be taken back with a second thought: an agent gets one with what its call would do,
 * and has to send it to have that done. A text that somebody wrote into a record can make a model call a tool, but
 * not know the code.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Encryption } from '../auth/encryption.ts';
import type { Viewer } from '../auth/viewer.ts';
import { invalid } from '../errors/errors.ts';

/** How long a code is valid, in milliseconds. */
const validMs = 5 * 60_000;

/** What a code stands for. */
export interface Intent {
  readonly viewer: Viewer;
  readonly tool: string;
  /** The arguments of the call, but for the code. */
  readonly args: string;
  /** What the call would do, to the records as they are. */
  readonly state: string;
}

function sign(encryption: Encryption, kid: string, intent: Intent, until: number): string {
  const { viewer, tool, args, state } = intent;
  const who = `${viewer.accountId} ${viewer.userId} ${viewer.tokenId}`;
  const seen = hash('sha256', state, 'base64url');
  return encryption.fingerprint(kid, 'mcp', who, tool, args, seen, String(until));
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length &&
  timingSafeEqual(
    Buffer.from(one),
    Buffer.from(other.toWellFormed().padEnd(one.length)).subarray(0, one.length),
  );

/** @param now milliseconds of the clock */
export function confirmationOf(encryption: Encryption, intent: Intent, now: number): string {
  const until = now + validMs;
  return `${until.toString(36)}.${encryption.kid}.${sign(encryption, encryption.kid, intent, until)}`;
}

/**
 * @param code as a client sent it
 * @throws {Fault} VALIDATION_FAILED for one that does not stand for this, or does no longer
 */
export function requireConfirmation(
  encryption: Encryption,
  intent: Intent,
  code: string,
  now: number,
): void {
  const [time = '', kid = '', signature = ''] = code.split('.');
  const until = Number.parseInt(time, 36);
  const isOurs = encryption.knows(kid) && isSame(sign(encryption, kid, intent, until), signature);
  if (isOurs && until >= now && until <= now + validMs) return;
  throw invalid(
    'confirm',
    'does not fit: it is of other arguments, of records that have changed since, or older than five minutes. Call without it to get a new one',
  );
}
