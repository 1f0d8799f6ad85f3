import { Command, InvalidArgumentError, Option } from 'commander';
import type { Keys } from '../auth/keys.ts';
import { everything, isScope, readScopes, type Scope, scopes } from '../auth/scopes.ts';
import { listTokens, type TokenRecord } from '../auth/tokens.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { durationHint, durationSeconds } from '../duration.ts';
import { issueFor } from '../resources/tokens/issue.ts';
import { revoke } from '../resources/tokens/revoke.ts';
import { id, operatorContext, print, withDatabase, writeLine } from './command.ts';
import { CommandError } from './failure.ts';

interface CreateOptions {
  readonly email: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Seconds, null for ever; the configured lifetime when it was not given. */
  readonly expiresIn?: number | null;
}

function lifetime(text: string): number | null {
  if (text === 'never') return null;
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

/** As it was stored: trimmed and in lower case. */
const emailOf = (text: string) => text.trim().toLowerCase();

const noUser = (email: string) => new CommandError(`There is no user ${email}`);

async function create(
  db: Database,
  config: Config,
  keys: Keys,
  options: CreateOptions,
): Promise<string> {
  const user = await db.prisma.user.findUnique({
    where: { email: options.email },
    select: { id: true, account_id: true },
  });
  if (!user) throw noUser(options.email);
  const ctx = await operatorContext(db, Number(user.account_id));
  const token = {
    userId: Number(user.id),
    name: options.name,
    scopes: options.scopes,
    ttl: options.expiresIn === undefined ? config.tokenTtl : options.expiresIn,
    keys,
  };
  const issued = await db.transaction((tx) => issueFor({ ...ctx, db: tx }, token));
  return issued.token;
}

async function revokeById(db: Database, id: number): Promise<TokenRecord> {
  const found = await db.prisma.token.findFirst({ where: { id } });
  const ctx = found && (await operatorContext(db, Number(found.account_id)));
  const token = ctx && (await db.transaction((tx) => revoke({ ...ctx, db: tx }, id)));
  if (!token) throw new CommandError(`There is no token ${id}`);
  return token;
}

export const tokenCommand = new Command('token')
  .description('Access tokens')
  .addCommand(
    new Command('create')
      .description('issues a token for a user and prints it alone')
      .requiredOption('--email <email>', 'whose it is', emailOf)
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
      .action(async (options: CreateOptions) => {
        const token = await withDatabase((db, config, keys) => create(db, config, keys, options));
        writeLine(token);
      }),
  )
  .addCommand(
    new Command('list')
      .description("lists a user's tokens")
      .requiredOption('--email <email>', 'whose they are', emailOf)
      .action(async ({ email }: { email: string }) => {
        const tokens = await withDatabase((db) => listTokens(db, email));
        if (!tokens) throw noUser(email);
        print(tokens);
      }),
  )
  .addCommand(
    new Command('revoke')
      .description('revokes a token: within 5 seconds nobody can use it')
      .requiredOption('--id <id>', 'as listed', id)
      .action(async ({ id: tokenId }: { id: number }) => {
        print(await withDatabase((db) => revokeById(db, tokenId)));
      }),
  );
