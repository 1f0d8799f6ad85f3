import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { fingerprintOf, keysOf, ownKid } from '../auth/keys.ts';
import { activate, adopt, announce, listSecrets, retire } from '../auth/rotation.ts';
import { isOwn, newSecret, secretIn, secretsOf, storeSecrets } from '../auth/secret.ts';
import { agreeOn, knownSecrets } from '../auth/signing_secrets.ts';
import type { Signing } from '../auth/tokens.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/sql/sql.ts';
import { print, withAnySecret, withDatabase } from './command.ts';
import { CommandError } from './command_error.ts';
import { example } from './help.ts';

interface KeyNotice {
  readonly fingerprint: string;
  /** Where the secret is; null when the operator made it. */
  readonly file: string | null;
}

/**
 * Announces the next secret: one that JWT_SECRET has already and the database does not know, else a new
 * one, in a file of its own or, where the data directory keeps the secret, in its place there.
 */
async function rotate(db: Database, config: Config, file: string | undefined): Promise<KeyNotice> {
  const secrets = await secretsOf(config);
  const keys = keysOf(secrets);
  const own = ownKid(keys);
  const known = new Set((await knownSecrets(db)).map(({ fingerprint }) => fingerprint));
  if (known.size > 0 && !known.has(own)) {
    // Without its own it has what it had before, and that must be right.
    await agreeOn(db, new Map([...keys].filter(([kid]) => kid !== own)));
    await announce(db, own);
    return { fingerprint: own, file: null };
  }
  await agreeOn(db, keys);
  const secret = newSecret();
  const fingerprint = fingerprintOf(secret);
  const path = isOwn(config)
    ? secretIn(config.dataDir)
    : resolve(file ?? join(config.dataDir, 'JWT_SECRET_NEXT'));
  await announce(db, fingerprint, () =>
    isOwn(config)
      ? storeSecrets(config.dataDir, [secret, ...secrets])
      : writeFile(path, `${secret}\n`, { mode: 0o600, flag: 'wx' }),
  );
  return { fingerprint, file: path };
}

/** What is left to do once a secret is announced. */
function stepsAfter(config: Config): readonly string[] {
  const own = isOwn(config);
  return [
    own
      ? 'Restart the service: it then has both secrets'
      : 'Restart every process, one after the other, with the new secret as JWT_SECRET and the old one as JWT_SECRET_PREVIOUS',
    'crm secret activate lets the new secret sign, in all processes at once',
    'Replace the tokens that crm secret list still counts for the old one',
    `crm secret retire --fingerprint <the old one>, and ${own ? 'restart' : 'restart every process without JWT_SECRET_PREVIOUS'}`,
  ];
}

/**
 * The embedded database runs as long as a service does.
 * @throws {CommandError} when that began before the secret was announced, and so cannot have it
 */
async function assertRestarted(db: Database, { database }: Config): Promise<void> {
  if (database.kind !== 'embedded') return;
  const early = await db.query(
    sql`SELECT FROM signing_secrets WHERE signs_from IS NULL AND retired_at IS NULL
          AND created_at > pg_postmaster_start_time()`,
  );
  if (early.length === 0) return;
  throw new CommandError('The service runs without the announced secret: restart it first');
}

async function activateHere(db: Database, { keys }: Signing, config: Config) {
  await assertRestarted(db, config);
  return { fingerprint: await activate(db, keys), state: 'current' };
}

interface Retirement {
  readonly fingerprint: string;
  readonly endTokens: boolean;
}

/** Retires a secret, and forgets it where the data directory keeps it. */
async function retireHere(
  db: Database,
  config: Config,
  { fingerprint, endTokens }: Retirement,
): Promise<void> {
  await retire(db, fingerprint, endTokens);
  if (!isOwn(config)) return;
  const others = (await secretsOf(config)).filter(
    (secret) => fingerprintOf(secret) !== fingerprint,
  );
  await storeSecrets(config.dataDir, others);
}

const list = new Command('list')
  .description('lists their fingerprints, and how many valid tokens each has signed')
  .addHelpText('after', example('secret list'))
  .action(async () => print(await withDatabase((db) => listSecrets(db))));

const rotation = new Command('rotate')
  .description('creates the next secret, announces it, and says what to do next')
  .option('--file <path>', 'file to write it to; in DATA_DIR by default')
  .addHelpText('after', example('secret rotate --file /run/secrets/next'))
  .action(async ({ file }: { file?: string }) => {
    print(
      await withAnySecret(async (db, config) => ({
        ...(await rotate(db, config, file)),
        steps: stepsAfter(config),
      })),
    );
  });

const activation = new Command('activate')
  .description('lets the announced secret sign, once every process has it')
  .addHelpText('after', example('secret activate'))
  .action(async () => print(await withDatabase(activateHere)));

const retirement = new Command('retire')
  .description('retires a secret that does not sign new tokens')
  .requiredOption('--fingerprint <fingerprint>', 'as listed')
  .option('--end-tokens', 'even if valid tokens are left; they end', false)
  .addHelpText('after', example('secret retire --fingerprint 3Fq0cWJx8bTn_4Ra'))
  .action(async (which: Retirement) => {
    await withDatabase((db, _, config) => retireHere(db, config, which));
    print({ fingerprint: which.fingerprint, state: 'retired' });
  });

const adoption = new Command('adopt')
  .description(
    "lets the configured secret sign at once, where the database's is lost: its tokens end",
  )
  .requiredOption('--end-tokens', 'confirms that you mean it')
  .addHelpText('after', example('secret adopt --end-tokens'))
  .action(async () => {
    const fingerprint = await withAnySecret(async (db, config) => {
      const keys = keysOf(await secretsOf(config));
      await adopt(db, keys);
      return ownKid(keys);
    });
    print({ fingerprint, state: 'current' });
  });

export const secretCommand = new Command('secret')
  .description('The secrets that sign tokens')
  .addCommand(list)
  .addCommand(rotation)
  .addCommand(activation)
  .addCommand(retirement)
  .addCommand(adoption);
