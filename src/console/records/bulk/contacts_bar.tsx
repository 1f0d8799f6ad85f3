import { useState } from 'preact/hooks';
import { DealCountDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { blank } from '../../api/refusal.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form_dialog.tsx';
import { useForm } from '../../components/use_form.ts';
import { formatNumber } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { labelOptions, type Offering } from '../choices.ts';
import { BulkBar, BulkChoice, type BulkScope } from './bar.tsx';
import { deleteContacts, labelContacts } from './contacts.ts';

/** What can be done with several contacts. */
export function ContactsBar({ choices: data, ...listed }: BulkScope & Offering) {
  const { bulk } = words.value;
  const [isNaming, setNaming] = useState(false);
  const options = data ? labelOptions(data) : [];
  return (
    <BulkBar {...listed} records="contacts" remove={deleteContacts} belongings={dealsOf}>
      {(act) => (
        <>
          <Button icon="add" onClick={() => setNaming(true)}>
            {bulk.addLabel}
          </Button>
          <BulkChoice
            label={bulk.removeLabel}
            options={options}
            onChoose={(label) => act((query) => labelContacts(query, label, false))}
          />
          {isNaming && (
            <LabelDialog
              known={options.map(({ value }) => value)}
              take={(label) => act((query) => labelContacts(query, label, true))}
              onClose={() => setNaming(false)}
            />
          )}
        </>
      )}
    </BulkBar>
  );
}

/** How many deals go with contacts, in a sentence; none where there are none. */
async function dealsOf(ids: readonly number[]): Promise<string> {
  const query = { contact_id_in: ids };
  const { count } = (await ask(DealCountDocument, { query })).deals.pagination;
  return count === 0 ? '' : words.value.bulk.deals(formatNumber(count));
}

function LabelDialog({
  known,
  take,
  onClose,
}: {
  /** Labels in use, which are suggested. */
  readonly known: readonly string[];
  readonly take: (label: string) => void;
  readonly onClose: () => void;
}) {
  const { bulk, records } = words.value;
  const form = useForm({ label: '' }, async ({ label }) => {
    const named = label.trim();
    if (named === '') throw blank('label');
    onClose();
    take(named);
  });
  return (
    <FormDialog title={bulk.addLabel} form={form} action={bulk.addLabel} onClose={onClose}>
      <TextField {...form.field('label')} label={records.label} list="known-labels" autoFocus />
      <datalist id="known-labels">
        {known.map((label) => (
          <option key={label} value={label} />
        ))}
      </datalist>
    </FormDialog>
  );
}
