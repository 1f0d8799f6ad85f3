import { domainToASCII } from 'node:url';
import { text } from './fields.ts';

/** The pattern that HTML gives for `<input type=email>`. */
const pattern =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** An address whose domain may be in another script, and is nothing but a domain. */
const foreign =
  /^(.*@)([a-z0-9.\-\u0080-\u{10ffff}]*[\u0080-\u{10ffff}][a-z0-9.\-\u0080-\u{10ffff}]*)$/su;

/** With the domain in its ASCII form (IDNA), the one that mail is sent by and that is unique. */
function inAscii(email: string): string {
  const [, mailbox = '', domain = ''] = foreign.exec(email) ?? [];
  const ascii = domainToASCII(domain);
  return ascii === '' ? email : mailbox + ascii;
}

/** An e-mail address, trimmed and in lower case; blank when unset. */
export const emailField = text({
  normalise: (email) => inAscii(email.trim().toLowerCase()),
  check: (email) => (email === '' || pattern.test(email) ? undefined : 'is invalid'),
});
