/** What is done with many contacts at a time. */
import {
  ChangeContactsDocument,
  ChosenContactsDocument,
  RestoreContactDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { outcomeOf } from './outcome.ts';
import { type ChosenContact, everyRow, runOver } from './run.ts';

type Query = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, unknown>>;

const read = (query: Query) => () =>
  everyRow<ChosenContact>(
    async (after) => (await ask(ChosenContactsDocument, { query, after })).list,
  );

const write = async (operation: string, records: readonly Fields[]) =>
  (await ask(ChangeContactsDocument, { operation, records })).batch.results;

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * Puts a label on contacts, or takes it off.
 * @param isOn whether they are to have it
 */
export const labelContacts = (query: Query, label: string, isOn: boolean) =>
  runOver(read(query), async (rows) => {
    const others = ({ label_list }: ChosenContact) =>
      label_list.filter((one) => !isSame(one, label));
    const changed = rows.filter(
      ({ label_list }) => label_list.some((one) => isSame(one, label)) !== isOn,
    );
    if (changed.length === 0) return { done: rows.length };
    const results = await write(
      'update',
      changed.map((row) => ({
        id: row.id,
        label_list: isOn ? [...row.label_list, label] : others(row),
      })),
    );
    const piece = outcomeOf(changed, results, (written) => [
      () =>
        write(
          'update',
          written.map(({ id, label_list }) => ({ id, label_list })),
        ),
    ]);
    return { ...piece, done: piece.done + rows.length - changed.length };
  });

export const deleteContacts = (query: Query) =>
  runOver(read(query), async (rows) => {
    const results = await write(
      'delete',
      rows.map(({ id }) => ({ id })),
    );
    return outcomeOf(rows, results, (gone) =>
      gone
        .map(
          ({ id }) =>
            () =>
              ask(RestoreContactDocument, { id }),
        )
        .reverse(),
    );
  });
