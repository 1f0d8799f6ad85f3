import { domainToASCII } from 'node:url';
import { text } from './fields.ts';

/** The pattern that HTML gives for `<input type=email>`. */
const pattern =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** A domain that may be in any script, and nothing else. */
const anyScript = /^[a-z0-9.\-\u0080-\u{10ffff}]+$/u;

/** One whose ASCII form it is itself: no label is encoded, and none is a number, as the last of an address may be. */
const plain = /^(?!xn--)[a-z][a-z0-9-]*(?:\.(?!xn--)[a-z][a-z0-9-]*)*$/;

/** With the domain in its ASCII form (IDNA), the one that mail is sent by and that is unique. */
function inAscii(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  if (at === 0 || plain.test(domain) || !anyScript.test(domain)) return email;
  const ascii = domainToASCII(domain);
  return ascii === '' ? email : email.slice(0, at) + ascii;
}

/** An e-mail address, trimmed and in lower case; blank when unset. */
export const emailField = text({
  normalise: (email) => inAscii(email.trim().toLowerCase()),
  check: (email) => (email === '' || pattern.test(email) ? undefined : 'is invalid'),
});
