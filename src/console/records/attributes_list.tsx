import { attributesOf } from './attributes.ts';
import { Detail } from './detail.tsx';

/** What integrations keep with a record, as text. */
export const AttributesList = ({
  attributes,
}: {
  readonly attributes: Readonly<Record<string, unknown>>;
}) => (
  <>
    {attributesOf(attributes).map(({ key, text }) => (
      <Detail key={key} title={key}>
        {text}
      </Detail>
    ))}
  </>
);
