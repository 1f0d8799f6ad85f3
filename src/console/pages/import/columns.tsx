import type { Encoding } from '../../../csv/decode.ts';
import type { Mapping } from '../../../import/mapping.ts';
import { type Importable, targetsOf } from '../../../import/targets.ts';
import { Button } from '../../components/button.tsx';
import { Table } from '../../components/table.tsx';
import { fieldName } from '../../words/fields.ts';
import { words } from '../../words/words.ts';

/** What a file begins with. */
export interface Preview {
  readonly names: readonly string[];
  readonly encoding: Encoding;
  readonly rows: readonly (readonly string[])[];
}

const attributes = 'custom_attributes';

/** The attribute that a column without another place becomes. */
const ownName = (name: string) => (name === '' ? undefined : `${attributes}.${name}`);

/** The columns of a file, with what is in them, and the choice of what they become. */
export function Columns({
  records,
  preview,
  mapping,
  onChange,
}: {
  readonly records: Importable;
  readonly preview: Preview;
  readonly mapping: Mapping;
  readonly onChange: (mapping: Mapping) => void;
}) {
  const { imports: texts } = words.value;
  const targets = targetsOf(records, false);
  const choose = (at: number, target: string) =>
    onChange(mapping.map((one, place) => (place === at ? target || undefined : one)));
  const choice = (name: string, at: number) => {
    const own = targets.includes(attributes) ? ownName(name) : undefined;
    const chosen = mapping[at];
    const all = new Set([...targets, own, chosen].filter((one) => one !== undefined));
    return (
      <select
        class="becomes"
        aria-label={texts.becomes(name)}
        value={chosen ?? ''}
        onChange={(event) => choose(at, event.currentTarget.value)}
      >
        <option value="">{texts.leaveOut}</option>
        {[...all].map((target) => (
          <option key={target} value={target}>
            {fieldName(target)}
          </option>
        ))}
      </select>
    );
  };
  const keepRest = () =>
    onChange(mapping.map((one, at) => one ?? ownName(preview.names[at] ?? '')));
  const hasRest =
    targets.includes(attributes) &&
    mapping.some((one, at) => one === undefined && preview.names[at]);
  return (
    <>
      <Table
        caption={texts.columns}
        rows={preview.names.map((name, at) => ({ name, at }))}
        keyOf={({ at }) => at}
        columns={[
          { key: 'name', title: texts.column, cell: ({ name }) => name },
          {
            key: 'values',
            title: texts.values,
            cell: ({ at }) => (
              <span class="soft">
                {preview.rows
                  .map((cells) => cells[at] ?? '')
                  .filter((cell) => cell !== '')
                  .join(' · ')
                  .slice(0, 100)}
              </span>
            ),
          },
          { key: 'target', title: texts.field, cell: ({ name, at }) => choice(name, at) },
        ]}
      />
      {hasRest && (
        <Button kind="quiet" onClick={keepRest}>
          {texts.keepRest}
        </Button>
      )}
    </>
  );
}
