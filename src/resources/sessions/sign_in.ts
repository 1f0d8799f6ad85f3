import { verifyPassword } from '../../auth/passwords.ts';
import { operating } from '../../context/context.ts';
import { isBroken } from '../../db/errors.ts';
import { sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { blank } from '../../errors/codes.ts';
import { Fault, Faults } from '../../errors/errors.ts';
import { auditEntries, entriesOf } from '../audit/entry.ts';
import { asText, emailField, required, text } from '../kernel/fields/fields.ts';
import { type Field, type Input, readNew } from '../kernel/fields/input.ts';
import { passwordLength } from '../kernel/fields/password.ts';
import { clock } from '../kernel/write/moment.ts';
import { type NewSession, openSession } from './open.ts';
import { attempting, shownOf, type Visit } from './visit.ts';

const isThere = (value: string) => (value === '' ? blank : undefined);

/** The address as it is stored. What cannot be one, of whatever length, is nobody's, as one that nobody has. */
const address: Field<string> = required({
  cleared: { value: '' },
  read(value, report) {
    const source = asText(value);
    if (source === undefined) return void report('must be a string');
    const email = emailField.read(source, () => undefined) ?? '-';
    return email === '' ? void report(blank) : email;
  },
});

const fields = {
  email: address,
  password: required(text({ max: passwordLength.max, verbatim: true, check: isThere })),
};

/** The same refusal for an unknown address and for a wrong password. */
const refused = () => new Fault('UNAUTHENTICATED', ['The e-mail address or the password is wrong']);

/**
 * Signs a user in by e-mail address and password. Not even the time until the answer reveals whether there is
 * such a user: the same statements are sent, and one hash is computed.
 * @throws {Fault} VALIDATION_FAILED for fields that are missing or not texts; UNAUTHENTICATED; UNAVAILABLE
 *   when too many people sign in at once
 * @throws {TooMany} when the client has failed too often
 */
export async function signIn(visit: Visit, input: Input): Promise<NewSession> {
  const faults = new Faults();
  const { email = '', password = '' } = readNew(input, fields, faults);
  faults.throwIfAny();
  return attempting(visit, email, async ({ client }, attempt) => {
    const user = await findUser(visit, email);
    const matches = await verifyPassword(password, user.password_hash, client);
    if (matches) {
      const ctx = operating(visit, user.account_id);
      return retryConflicts(() => openSession(ctx, user.id, visit)).catch((error: unknown) => {
        // The user was deleted since the password was read.
        throw isBroken('foreign_key')(error) ? refused() : error;
      });
    }
    await recordRefusal(visit, user, attempt);
    throw refused();
  });
}

interface Credentials {
  readonly id: number;
  readonly account_id: number;
  readonly password_hash: string;
}

const nobody: Credentials = { id: 0, account_id: 0, password_hash: '' };

async function findUser({ db }: Visit, email: string): Promise<Credentials> {
  const [user = nobody] = await db.query<Credentials>(
    sql`SELECT id, account_id, password_hash FROM users WHERE email = ${email}`,
    { reads: true },
  );
  return user;
}

/** Dates the failure, and leaves an entry in the account of the user, where there is one. */
async function recordRefusal(visit: Visit, user: Credentials, attempt: number): Promise<void> {
  const ctx = operating(visit, user.account_id);
  const changes = { before: null, after: shownOf(visit) };
  await visit.db.query(
    sql`WITH dated AS (
          UPDATE sign_in_attempts SET created_at = now() WHERE id = ${attempt}
        ), refused AS (
          SELECT ${user.id}::bigint AS id WHERE ${user.id}::bigint <> 0
        ) ${auditEntries(ctx, entriesOf('user.refuse_sign_in', 'refused', changes, { at: clock }))}`,
  );
}
