import { Command } from 'commander';
import { insertPipeline } from '../resources/pipelines/insert.ts';
import { id, operatorContext, print, withDatabase } from './command.ts';

interface Options {
  readonly account: number;
  readonly name: string;
  readonly stages: readonly string[];
}

export const pipelineCommand = new Command('pipeline').description('Pipelines').addCommand(
  new Command('create')
    .description('creates a pipeline with its stages')
    .requiredOption('--account <id>', 'the account', id)
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--stages <names>', 'names in their order, separated by commas', (text) =>
      text.split(','),
    )
    .action(async ({ account, name, stages }: Options) => {
      print(
        await withDatabase(async (db) =>
          insertPipeline(await operatorContext(db, account), name, stages),
        ),
      );
    }),
);
