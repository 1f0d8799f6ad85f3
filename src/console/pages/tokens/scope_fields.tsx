import type { FieldBinding } from '../../components/field.tsx';
import { words } from '../../words/words.ts';
import { type Extent, type Right, type Rights, resources } from './scopes.ts';

const extents: readonly Extent[] = ['all', 'read', 'some'];
const rightsToChoose: readonly Right[] = ['', 'read', 'write'];

/** What a token may do: all, all reading, or some of each resource. */
export function ScopeFields({
  extent,
  rights,
}: {
  readonly extent: FieldBinding<Extent>;
  readonly rights: FieldBinding<Rights>;
}) {
  const { tokens: texts } = words.value;
  return (
    <fieldset class="choices">
      <legend>{texts.scopes}</legend>
      {extents.map((value) => (
        <label key={value} class="checkbox">
          <input
            type="radio"
            name={extent.name}
            checked={extent.value === value}
            onChange={() => extent.onChange(value)}
          />
          <span>
            {texts.extents[value]}
            <small>{texts.extentHints[value]}</small>
          </span>
        </label>
      ))}
      {extent.value === 'some' && <RightsTable {...rights} />}
      {extent.error && <p class="field-error">{extent.error}</p>}
    </fieldset>
  );
}

function RightsTable({ value: rights, onChange }: FieldBinding<Rights>) {
  const { tokens: texts } = words.value;
  return (
    <table class="rights">
      <thead>
        <tr>
          <th scope="col">{texts.resource}</th>
          {rightsToChoose.map((right) => (
            <th key={right} scope="col">
              {texts.rights[right || 'none']}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {resources.map((resource) => (
          <tr key={resource}>
            <th scope="row">{texts.resources[resource]}</th>
            {rightsToChoose.map((right) => (
              <td key={right}>
                <input
                  type="radio"
                  name={`right-${resource}`}
                  aria-label={`${texts.resources[resource]}: ${texts.rights[right || 'none']}`}
                  checked={rights[resource] === right}
                  onChange={() => onChange({ ...rights, [resource]: right })}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
