/** Users as a command names them: by their e-mail address, which no two have. */
import type { Signing } from '../auth/tokens.ts';
import type { Context } from '../context/context.ts';
import type { Database } from '../db/database.ts';
import { operatorContext } from './command.ts';
import { CommandError } from './command_error.ts';

/** As it was stored: trimmed and in lower case. */
export const emailOf = (text: string): string => text.trim().toLowerCase();

export const noUser = (email: string) => new CommandError(`There is no user ${email}`);

/** @throws {CommandError} when there is none */
export async function findUser(
  db: Database,
  email: string,
): Promise<{ readonly id: number; readonly accountId: number }> {
  const user = await db.prisma().user.findUnique({
    where: { email },
    select: { id: true, account_id: true },
  });
  if (!user) throw noUser(email);
  return { id: Number(user.id), accountId: Number(user.account_id) };
}

/** The context in which a command works on a user's account, and the user's id. */
export async function operatorOf(
  db: Database,
  signing: Signing,
  email: string,
): Promise<{ readonly ctx: Context; readonly id: number }> {
  const { id, accountId } = await findUser(db, email);
  return { ctx: await operatorContext(db, signing, accountId), id };
}
