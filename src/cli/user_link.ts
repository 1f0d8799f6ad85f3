import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { Config } from '../config/config.ts';
import { readOrigin } from '../config/origin.ts';
import { writeForOwner } from '../lib/secret_file.ts';
import { createLinkFor, linkFile, linkMinutes, linkWith } from '../resources/users/sign_in_link.ts';
import { print, withDatabase } from './command.ts';
import { example } from './help.ts';
import { emailOf, noUser } from './person.ts';

interface Options {
  readonly email: string;
  readonly url?: string;
}

/** Where browsers reach the service, by its configuration; for want of one, where this machine's do. */
function originOf({ publicUrl, host, port }: Config): string {
  if (publicUrl !== undefined) return publicUrl;
  const named = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `https://${named.includes(':') ? `[${named}]` : named}:${port}`;
}

function origin(text: string): string {
  const address = readOrigin(text);
  if (address !== undefined) return address;
  throw new InvalidArgumentError(
    'It must be an https origin without anything behind it, such as https://crm.example.com (http for localhost alone).',
  );
}

export const userLinkCommand = new Command('link')
  .description(
    `prints a link with which a user sets a password and is signed in, once and within ${linkMinutes} minutes`,
  )
  .requiredOption('--email <email>', "the user's e-mail address", emailOf)
  .option(
    '--url <url>',
    'where browsers reach the service, such as https://crm.example.com',
    origin,
  )
  .addHelpText(
    'after',
    example('user link --email ada@acme.example --url https://crm.acme.example'),
  )
  .action(async ({ email, url: base }: Options) => {
    await withDatabase(async (db, _, config) => {
      const code = await createLinkFor({ db, now: new Date(), requestId: 'cli' }, email);
      if (!code) throw noUser(email);
      const { url, expires_at } = linkWith(base ?? originOf(config), code);
      if (process.stdout.isTTY) return print({ url, expires_at });
      const file = join(config.dataDir, linkFile);
      await writeForOwner(file, url);
      print({ file, expires_at });
    });
  });
