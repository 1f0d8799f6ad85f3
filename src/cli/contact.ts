import { Command } from 'commander';
import { eraseContact } from '../resources/erasures/erase.ts';
import { id, operatorContext, print, withDatabase } from './command.ts';
import { example } from './help.ts';

interface Erasure {
  readonly account: number;
  readonly id: number;
}

const erase = new Command('erase')
  .description(
    'removes a contact and all its values in the audit log, for good; also one that was deleted before',
  )
  .requiredOption('--account <id>', 'the account', id)
  .requiredOption('--id <id>', 'the contact', id)
  .addHelpText('after', example('contact erase --account 2 --id 17'))
  .action(async ({ account, id }: Erasure) => {
    print(
      await withDatabase(async (db, signing) =>
        eraseContact(
          await operatorContext(db, signing, account),
          account,
          id,
          Number.POSITIVE_INFINITY,
        ),
      ),
    );
  });

export const contactCommand = new Command('contact').description('Contacts').addCommand(erase);
