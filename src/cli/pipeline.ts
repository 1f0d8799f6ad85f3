import { Command } from 'commander';
import { insertPipeline } from '../resources/pipelines/insert.ts';
import { id, operatorContext, print, withDatabase } from './command.ts';
import { example } from './help.ts';

interface Options {
  readonly account: number;
  readonly name: string;
  readonly stages: readonly string[];
}

const create = new Command('create')
  .description('creates a pipeline with its stages')
  .requiredOption('--account <id>', 'the account', id)
  .requiredOption('--name <name>', 'its name')
  .requiredOption('--stages <names>', 'names in their order, separated by commas', (text) =>
    text.split(','),
  )
  .addHelpText(
    'after',
    example('pipeline create --account 2 --name Sales --stages New,Negotiation,Closing'),
  )
  .action(async ({ account, name, stages }: Options) => {
    print(
      await withDatabase(async (db, signing) =>
        insertPipeline(await operatorContext(db, signing, account), name, stages),
      ),
    );
  });

export const pipelineCommand = new Command('pipeline').description('Pipelines').addCommand(create);
