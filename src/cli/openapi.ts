import { Command } from 'commander';
import { print } from './command.ts';
import { example } from './help.ts';

export const openapiCommand = new Command('openapi')
  .description('prints the OpenAPI document of the REST interface')
  .addHelpText('after', example('openapi > openapi.json'))
  .action(async () => {
    // The other commands need not wait for the schema to load.
    const { openapi } = await import('../rest/openapi/document.ts');
    print(openapi());
  });
