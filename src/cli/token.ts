import { Command, InvalidArgumentError, Option } from 'commander';
import { everything, isScope, readScopes, type Scope, scopes } from '../auth/scopes.ts';
import { listTokens, type Signing, type TokenRecord } from '../auth/tokens.ts';
import { durationHint, durationSeconds } from '../config/duration.ts';
import type { Database } from '../db/database.ts';
import { issueFor } from '../resources/tokens/issue.ts';
import { revoke } from '../resources/tokens/revoke.ts';
import { id, operatorContext, print, withDatabase, writeLine } from './command.ts';
import { CommandError } from './command_error.ts';
import { example } from './help.ts';
import { emailOf, noUser, operatorOf } from './person.ts';

interface CreateOptions {
  readonly email: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Seconds; the configured lifetime when it was not given. */
  readonly expiresIn?: number | typeof never;
}

/** A null would become an empty text: commander takes it for an option without a value. */
const never = 'never';

function lifetime(text: string): number | typeof never {
  if (text === never) return never;
  const seconds = durationSeconds(text);
  if (seconds === undefined)
    throw new InvalidArgumentError(`It must be ${durationHint}, or never.`);
  return seconds;
}

function tokenName(text: string): string {
  if ([...text].length > 255) throw new InvalidArgumentError('It has at most 255 characters.');
  return text;
}

function scopeList(text: string): readonly Scope[] {
  const named = text.split(',').map((scope) => scope.trim());
  if (named.every(isScope)) return readScopes(named).given;
  throw new InvalidArgumentError(`They are names out of ${scopes.join(', ')}, divided by commas.`);
}

async function issue(
  db: Database,
  signing: Signing,
  { email, name, scopes, expiresIn }: CreateOptions,
): Promise<string> {
  const { ctx, id: userId } = await operatorOf(db, signing, email);
  const ttl = expiresIn === never ? null : (expiresIn ?? signing.ttl);
  const token = { userId, name, scopes, ttl, keys: signing.keys };
  const issued = await db.transaction((tx) => issueFor({ ...ctx, db: tx }, token));
  return issued.token;
}

async function revokeById(db: Database, signing: Signing, id: number): Promise<TokenRecord> {
  const row = await db.prisma().token.findFirst({ where: { id } });
  const ctx = row && (await operatorContext(db, signing, Number(row.account_id)));
  const token = ctx && (await db.transaction((tx) => revoke({ ...ctx, db: tx }, id)));
  if (!token) throw new CommandError(`There is no token ${id}`);
  return token;
}

/** Revokes all tokens of one person that are not revoked yet. */
async function revokeOf(
  db: Database,
  signing: Signing,
  email: string,
): Promise<readonly TokenRecord[]> {
  const { ctx } = await operatorOf(db, signing, email);
  return db.transaction(async (tx) => {
    const revoked: TokenRecord[] = [];
    for (const { id, revoked_at } of (await listTokens(tx, email)) ?? []) {
      const token = revoked_at === null ? await revoke({ ...ctx, db: tx }, id) : undefined;
      if (token) revoked.push(token);
    }
    return revoked;
  });
}

const create = new Command('create')
  .description('issues a token for a user and prints it alone')
  .requiredOption('--email <email>', "the user's e-mail address", emailOf)
  .option('--name <name>', 'what it is for', tokenName, '')
  .addOption(
    new Option(
      '--scopes <scopes>',
      'what it may do of what the user may, such as read or deals:write',
    )
      .argParser(scopeList)
      .default(everything.given, '*'),
  )
  .option('--expires-in <time>', `${durationHint}, or never`, lifetime)
  .addHelpText(
    'after',
    example('token create --email ada@acme.example --name "nightly sync" --expires-in 30d'),
  )
  .action(async (options: CreateOptions) => {
    writeLine(await withDatabase((db, signing) => issue(db, signing, options)));
  });

const list = new Command('list')
  .description("lists a user's tokens")
  .requiredOption('--email <email>', "the user's e-mail address", emailOf)
  .addHelpText('after', example('token list --email ada@acme.example'))
  .action(async ({ email }: { email: string }) => {
    const tokens = await withDatabase((db) => listTokens(db, email));
    if (!tokens) throw noUser(email);
    print(tokens);
  });

interface Revocation {
  readonly id?: number;
  readonly email?: string;
}

const revocation = new Command('revoke')
  .description(
    'revokes one token, or all tokens of a user; every process refuses them within 5 seconds',
  )
  .addOption(new Option('--id <id>', 'one token, as listed').argParser(id).conflicts('email'))
  .option('--email <email>', 'all tokens of the user with this e-mail address', emailOf)
  .addHelpText('after', example('token revoke --email ada@acme.example'))
  .action(async ({ id: tokenId, email }: Revocation) => {
    if (tokenId === undefined && email === undefined) {
      throw new CommandError('Say which: --id for one token, --email for all of one person');
    }
    print(
      await withDatabase(async (db, signing) =>
        email === undefined ? revokeById(db, signing, tokenId ?? 0) : revokeOf(db, signing, email),
      ),
    );
  });

export const tokenCommand = new Command('token')
  .description('Access tokens')
  .addCommand(create)
  .addCommand(list)
  .addCommand(revocation);
