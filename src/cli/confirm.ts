import { createInterface } from 'node:readline/promises';
import { CommandError } from './command_error.ts';

/** Where a person is asked, and answers. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/**
 * Lets a person type a name before something is done that cannot be undone.
 * @param about what will be done
 * @throws {CommandError} when it was another name, or there is nobody to type
 */
export async function confirmByName(
  about: string,
  name: string,
  // Standard output is for what a command prints.
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (!input.isTTY) throw new CommandError(`${about}: add --yes if that is meant`);
  const asking = createInterface({ input, output });
  try {
    const typed = await asking.question(`${about}.\nType its name to go on: `);
    if (typed !== name) throw new CommandError('That is not its name: nothing was done');
  } finally {
    asking.close();
  }
}
