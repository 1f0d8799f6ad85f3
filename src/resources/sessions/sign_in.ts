import { verifyPassword } from '../../auth/passwords.ts';
import { type Context, operating } from '../../context.ts';
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { Fault, Faults } from '../../errors.ts';
import { emailField } from '../kernel/email.ts';
import { blank, required, text } from '../kernel/fields.ts';
import { type Input, readNew } from '../kernel/input.ts';
import { type Opened, openSession, type Visitor } from './open.ts';

/** A call that nobody has signed for yet. */
export type Anonymous = Pick<Context, 'now' | 'requestId'> & { readonly db: Database };

const isThere = (value: string) => (value === '' ? blank : undefined);

const fields = {
  // What cannot be an address is nobody's, as one that nobody has.
  email: required(
    text({ normalise: (email) => emailField.read(email, () => undefined) ?? '-', check: isThere }),
  ),
  password: required(text({ most: 128, check: isThere })),
};

/** The same for an address that nobody has and a password that is not its user's. */
const refused = () => new Fault('UNAUTHENTICATED', ['The e-mail address or the password is wrong']);

/**
 * Lets somebody in who has the password of a user.
 * @throws {Fault} VALIDATION_FAILED for what is missing or no text; UNAUTHENTICATED
 */
export async function signIn(call: Anonymous, visitor: Visitor, input: Input): Promise<Opened> {
  const faults = new Faults();
  const sent = readNew(input, fields, faults);
  faults.throwIfAny();
  const user = await findUser(call.db, sent.email ?? '');
  const matches = await verifyPassword(sent.password ?? '', user?.password_hash ?? '');
  if (!user || !matches) throw refused();
  return openSession(operating(call, user.account_id), user.id, visitor);
}

interface Found {
  readonly id: number;
  readonly account_id: number;
  readonly password_hash: string;
}

async function findUser(db: Database, email: string): Promise<Found | undefined> {
  const [user] = await db.query<Found>(
    sql`SELECT id, account_id, password_hash FROM users WHERE email = ${email}`,
    { named: true, reads: true },
  );
  return user;
}
