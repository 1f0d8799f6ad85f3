import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { packageDirectory } from '../lib/directories.ts';
import { accountCommand } from './account.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { contactCommand } from './contact.ts';
import { distributeCommand } from './distribute.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { marksRequired } from './help.ts';
import { importCommand } from './import/command.ts';
import { openapiCommand } from './openapi.ts';
import { migrateCommand, seedCommand, serveCommand } from './operation.ts';
import { pipelineCommand } from './pipeline.ts';
import { secretCommand } from './secret.ts';
import { tokenCommand } from './token.ts';
import { topCommand } from './top.ts';
import { userCommand } from './user.ts';
import { webhookCommand } from './webhook.ts';

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('package.json', packageDirectory), 'utf8'),
);

/** Every command of the service. */
export const program = new Command('crm')
  .description('Runs and looks after the sales CRM. Configured by environment variables.')
  .version(version, '--version', 'prints the version')
  .configureHelp(marksRequired)
  .showSuggestionAfterError()
  .exitOverride();

const commands = [
  serveCommand,
  migrateCommand,
  seedCommand,
  distributeCommand,
  doctorCommand,
  topCommand,
  backupCommand,
  restoreCommand,
  importCommand,
  openapiCommand,
  accountCommand,
  userCommand,
  contactCommand,
  exportCommand,
  pipelineCommand,
  tokenCommand,
  secretCommand,
  webhookCommand,
];
for (const command of commands) program.addCommand(inherit(command));

/** Gives subcommands the program's settings, so that a usage error ends in one line and exit code 1. */
function inherit(command: Command): Command {
  command.copyInheritedSettings(program);
  command.commands.forEach(inherit);
  return command;
}
