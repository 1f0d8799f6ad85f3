import { Command } from 'commander';
import { operatorPass } from '../auth/operator_pass.ts';
import { secretsOf } from '../auth/secret.ts';
import { readConfig } from '../config/config.ts';
import { print } from './command.ts';
import { CommandError } from './command_error.ts';
import { example } from './help.ts';
import { unreachable } from './unreachable.ts';

export const topCommand = new Command('top')
  .description(
    'lists the accounts that took most time of the database in the last ten minutes, and the tokens whose requests took most, of all workers of a machine; asks the server at ADMIN_PORT',
  )
  .addHelpText('after', example('top'))
  .action(async () => {
    const config = readConfig(process.env);
    const { adminHost: host, adminPort: port } = config;
    if (port === undefined) {
      throw new CommandError('Set ADMIN_PORT as the server has it: that is where it is asked');
    }
    const [secret = ''] = await secretsOf(config);
    const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const headers = { authorization: `Bearer ${operatorPass(secret)}` };
    const answer = await fetch(`${origin}/top`, { headers }).catch((error: unknown) => {
      throw new CommandError(unreachable(origin, error).message);
    });
    if (answer.status === 401) {
      throw new CommandError(`${origin} has another secret: set JWT_SECRET as the server has it`);
    }
    if (!answer.ok) throw new CommandError(`${origin} answered ${answer.status}`);
    print(await answer.json());
  });
