/** How a command of an operator proves to a process that it knows a secret that the process signs with. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** For so many seconds a pass is good, before and after its moment: clocks may differ a little. */
const goodSeconds = 60;

const signatureOf = (secret: string, seconds: number): Buffer =>
  createHmac('sha256', secret).update(`operator ${seconds}`).digest();

/** @returns what to send as a bearer token */
export function operatorPass(secret: string, now = Date.now()): string {
  const seconds = Math.floor(now / 1000);
  return `${seconds}.${signatureOf(secret, seconds).toString('base64url')}`;
}

/** @param authorization as it was sent */
export function isOperator(
  secrets: readonly string[],
  authorization: string | undefined,
  now = Date.now(),
): boolean {
  const [, text = '', signature = ''] =
    /^Bearer (\d{1,12})\.([\w-]{43})$/.exec(authorization ?? '') ?? [];
  const seconds = Number(text);
  if (text === '' || Math.abs(now / 1000 - seconds) > goodSeconds) return false;
  const signatureBytes = Buffer.from(signature, 'base64url');
  return secrets.some((secret) => {
    const own = signatureOf(secret, seconds);
    return own.length === signatureBytes.length && timingSafeEqual(own, signatureBytes);
  });
}
