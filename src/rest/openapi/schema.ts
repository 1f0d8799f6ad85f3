/** The pieces that the document is built from. */

/** A JSON Schema of dialect 2020-12, as OpenAPI 3.1 has them. */
export type Schema = Readonly<Record<string, unknown>>;

/** What values look like, with an example. */
export interface SchemaWithExample {
  readonly schema: Schema;
  readonly example: unknown;
}

/** The same, or null. */
export function orNull({ schema, example }: SchemaWithExample): SchemaWithExample {
  const { type } = schema;
  if (typeof type === 'string') return { schema: { ...schema, type: [type, 'null'] }, example };
  return { schema: { anyOf: [schema, { type: 'null' }] }, example };
}

/** The same, but never null. */
export function notNull(schema: Schema): Schema {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) {
    const kinds = anyOf.filter((kind: Schema) => kind.type !== 'null').map(notNull);
    return { ...schema, anyOf: kinds };
  }
  if (!Array.isArray(type)) return schema;
  const [only, ...more] = type.filter((name) => name !== 'null');
  return { ...schema, type: more.length > 0 ? [only, ...more] : only };
}

/** With the description in place of the schema's own, where there is one. */
export const describedAs = (
  described: SchemaWithExample,
  description: string | null | undefined,
): SchemaWithExample =>
  description
    ? { ...described, schema: { ...described.schema, description: oneLine(description) } }
    : described;

/** Descriptions are wrapped in the source; paragraphs stay. */
export const oneLine = (text: string): string => text.replaceAll(/(?<!\n)\n(?!\n)/g, ' ').trim();

/** Schemas that several places of the document share. */
export class Components {
  readonly #kept = new Map<string, { readonly schema: Schema; readonly text: string }>();

  /**
   * Keeps a schema under the first of the names that is free or already holds the same.
   * @returns a reference to it
   */
  keep(names: readonly string[], { schema, example }: SchemaWithExample): SchemaWithExample {
    const text = JSON.stringify(schema);
    const name = names.find((candidate) => (this.#kept.get(candidate)?.text ?? text) === text);
    if (name === undefined) throw new Error(`other schemas are named ${names.join(' and ')}`);
    this.#kept.set(name, { schema, text });
    return { schema: { $ref: `#/components/schemas/${name}` }, example };
  }

  get schemas(): Readonly<Record<string, Schema>> {
    return Object.fromEntries(
      [...this.#kept]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, { schema }]) => [name, schema]),
    );
  }
}
