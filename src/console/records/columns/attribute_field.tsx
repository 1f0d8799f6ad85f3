import { useId, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { words } from '../../words/words.ts';

/** Takes the key of a custom attribute, of which those in use are suggested. */
export function AttributeField({
  inUse,
  onAdd,
}: {
  readonly inUse: readonly string[];
  readonly onAdd: (key: string) => void;
}) {
  const { columns, records } = words.value;
  const [typed, setTyped] = useState('');
  const list = useId();
  return (
    <form
      class="column-attribute"
      onSubmit={(event) => {
        event.preventDefault();
        // Keyboards of phones append a blank.
        if (typed.trim() !== '') onAdd(inUse.includes(typed) ? typed : typed.trim());
        setTyped('');
      }}
    >
      <TextField
        name="attribute"
        label={records.attributeName}
        list={list}
        autocomplete="off"
        maxLength={255}
        value={typed}
        onChange={setTyped}
        error={undefined}
      />
      <datalist id={list}>
        {inUse.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      <Button type="submit" icon="add">
        {columns.add}
      </Button>
    </form>
  );
}
