import { Command } from 'commander';
import { openapi } from '../rest/openapi/document.ts';
import { print } from './command.ts';

export const openapiCommand = new Command('openapi')
  .description('prints the OpenAPI document of the REST interface')
  .action(() => print(openapi()));
