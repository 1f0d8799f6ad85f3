/** Custom attributes of records: any JSON, shown and edited as rows of text. */
import { parseJson } from '../api/json.ts';
import { Refusal } from '../api/refusal.ts';

export interface Attribute {
  readonly key: string;
  readonly text: string;
  /** Whether the value is the text itself; else the text is JSON. */
  readonly isText: boolean;
}

export const attributesOf = (record: Readonly<Record<string, unknown>>): readonly Attribute[] =>
  Object.entries(record).map(([key, value]) =>
    typeof value === 'string'
      ? { key, text: value, isText: true }
      : { key, text: JSON.stringify(value), isText: false },
  );

/** What an attribute says; nothing where the record has no such one. */
export const attributeText = (
  record: Readonly<Record<string, unknown>> | undefined,
  key: string,
): string | undefined =>
  record && Object.hasOwn(record, key) ? attributesOf({ [key]: record[key] })[0]?.text : undefined;

/**
 * The attributes as the service takes them. Rows with neither key nor text are left out.
 * @throws {Refusal} VALIDATION_FAILED when a row has no key, shares one, or should be JSON and is not
 */
export function recordOf(attributes: readonly Attribute[]): Record<string, unknown> {
  const rows = attributes.filter(({ key, text }) => key !== '' || text !== '');
  const keys = new Set(rows.map(({ key }) => key));
  if (keys.has('')) throw invalid("can't be blank");
  if (keys.size < rows.length) throw invalid('has already been taken');
  return Object.fromEntries(rows.map((row) => [row.key, jsonOf(row)]));
}

function jsonOf({ text, isText }: Attribute): unknown {
  if (isText) return text;
  try {
    return parseJson(text);
  } catch {
    throw invalid('is invalid');
  }
}

const invalid = (message: string) =>
  new Refusal('VALIDATION_FAILED', [], { custom_attributes: [message] });
