import { keepsNumbers } from '../api/json.ts';
import { Button, IconButton } from '../components/button.tsx';
import type { FieldBinding } from '../components/field.tsx';
import { words } from '../words/words.ts';
import type { Attribute } from './attributes.ts';

/** Edits custom attributes, a row for each; a browser that would round numbers only shows them. */
export function AttributesField({ value, onChange, error }: FieldBinding<readonly Attribute[]>) {
  const { records } = words.value;
  const change = (index: number, part: Partial<Attribute>) =>
    onChange(value.map((row, place) => (place === index ? { ...row, ...part } : row)));
  return (
    <fieldset class="attributes" disabled={!keepsNumbers}>
      <legend>{records.attributes}</legend>
      {value.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place while its key is typed
        <div class="attribute" key={index}>
          <input
            aria-label={records.attributeName}
            placeholder={records.attributeName}
            value={row.key}
            onInput={(event) => change(index, { key: event.currentTarget.value })}
          />
          <input
            aria-label={records.attributeValue(row.key)}
            placeholder={records.attributeValue('')}
            value={row.text}
            onInput={(event) => change(index, { text: event.currentTarget.value })}
          />
          <IconButton
            icon="remove"
            label={records.removeAttribute(row.key)}
            onClick={() => onChange(value.filter((other) => other !== row))}
          />
        </div>
      ))}
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <div>
        <Button
          kind="quiet"
          icon="add"
          onClick={() => onChange([...value, { key: '', text: '', isText: true }])}
        >
          {records.addAttribute}
        </Button>
      </div>
    </fieldset>
  );
}
