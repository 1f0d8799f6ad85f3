import { text } from './fields.ts';

/** The pattern that HTML gives for `<input type=email>`. */
const pattern =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** An e-mail address, trimmed and in lower case; blank when unset. */
export const emailField = text({
  normalise: (email) => email.trim().toLowerCase(),
  check: (email) => (email === '' || pattern.test(email) ? undefined : 'is invalid'),
});
