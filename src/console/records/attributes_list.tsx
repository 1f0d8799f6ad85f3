import { keepsNumbers } from '../api/json.ts';
import { InPlace } from '../components/in_place.tsx';
import { hasAddress, LinkedText } from '../components/linked_text.tsx';
import { tell } from '../components/toast.tsx';
import { words } from '../words/words.ts';
import { attributesOf, recordOf } from './attributes.ts';
import { Detail } from './detail.tsx';

type Attributes = Readonly<Record<string, unknown>>;

/**
 * What integrations keep with a record, as text; each is changed where it stands, unless the browser would round
 * numbers.
 */
export function AttributesList({
  attributes,
  version,
  reload,
  save,
}: {
  readonly attributes: Attributes;
  readonly version: string;
  readonly reload: () => Promise<void>;
  readonly save: (attributes: Record<string, unknown>, version?: string) => Promise<void>;
}) {
  const rows = attributesOf(attributes);
  const change = async (key: string, text: string, known?: string) => {
    await save(recordOf(rows.map((row) => (row.key === key ? { ...row, text } : row))), known);
    tell(words.value.shell.saved, () => save({ ...attributes }));
  };
  return (
    <>
      {rows.map(({ key, text }) => (
        <Detail key={key} title={key}>
          {keepsNumbers ? (
            <InPlace
              name="custom_attributes"
              label={key}
              value={text}
              hasPencil={hasAddress(text)}
              version={version}
              reload={reload}
              save={(value, known) => change(key, value, known)}
            >
              <LinkedText text={text} />
            </InPlace>
          ) : (
            <LinkedText text={text} />
          )}
        </Detail>
      ))}
    </>
  );
}
