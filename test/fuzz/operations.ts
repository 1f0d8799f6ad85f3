/** The operations of the OpenAPI document, as far as it takes to ask for them. */
import { openapi } from '../../src/rest/openapi/document.ts';
import { isJson } from './pool.ts';
import type { Kind } from './values.ts';

/** A field of a body. */
export interface Field {
  readonly name: string;
  readonly kind: Kind;
  /** Whether the document's example of the body has it, as it has all that is required. */
  readonly usual: boolean;
}

export interface Operation {
  readonly method: string;
  /** As the document writes it. */
  readonly template: string;
  /** The type that an answer of success shows, one or a page of it; undefined for none. */
  readonly shows: string | undefined;
  /** Of a body other than a search. */
  readonly fields: readonly Field[] | undefined;
  /** The resource all of whose records it searches. */
  readonly searches: string | undefined;
}

export const nameOf = ({ method, template }: Operation): string =>
  `${method} ${template.replace('/api/v1/accounts/{account_id}', '')}`;

const document: unknown = JSON.parse(JSON.stringify(openapi()));

/** What lies in a value beneath keys, references followed. */
export function inside(value: unknown, ...keys: readonly string[]): unknown {
  let at = resolved(value);
  for (const key of keys) at = resolved(isJson(at) ? at[key] : undefined);
  return at;
}

function resolved(value: unknown): unknown {
  const reference = isJson(value) ? value.$ref : undefined;
  return typeof reference === 'string' ? inside(document, ...reference.split('/').slice(1)) : value;
}

const entries = (value: unknown): [string, unknown][] =>
  isJson(value) ? Object.entries(value) : [];

/** Headers that an answer of a status must have, by the document. */
export const headersOf = (method: string, template: string, status: number): string[] =>
  entries(
    inside(
      document,
      'paths',
      template,
      method.toLowerCase(),
      'responses',
      String(status),
      'headers',
    ),
  )
    .map(([name]) => name)
    .filter((name) => inside(document, 'components', 'headers', name, 'required') === true)
    .map((name) => name.toLowerCase());

const singular = (resource: string) => resource.replace(/s$/, '');

/** `/contacts/{contact_id}/events` → `contact`, where `{contact_id}` stands. */
export const typeOfParameter = (template: string, name: string): string => {
  const segments = template.split('/');
  return singular(segments[segments.indexOf(`{${name}}`) - 1] ?? '');
};

/** Streams have no length, and there are two at a time: they are tested by themselves. */
const paths = entries(inside(document, 'paths')).filter(
  ([template]) => !template.endsWith('/export'),
);

export const operations: readonly Operation[] = paths.flatMap(([template, item]) =>
  entries(item).map(([method, described]): Operation => {
    const searches = /\{account_id\}\/(\w+)\/search$/.exec(template)?.[1];
    const body = inside(described, 'requestBody', 'content', 'application/json');
    return {
      method: method.toUpperCase(),
      template,
      shows: shownBy(described),
      fields: body !== undefined && !searches ? fieldsOf(body) : undefined,
      searches,
    };
  }),
);

function shownBy(described: unknown): string | undefined {
  const success = ['200', '201']
    .map((status) => inside(described, 'responses', status, 'content', 'application/json'))
    .find((content) => content !== undefined);
  const schema = isJson(success) ? success.schema : undefined;
  const name =
    isJson(schema) && typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : '';
  return name
    ?.replace(/(Detail|Page|s)$/, '')
    .replaceAll(/(?<!^)(?=[A-Z])/g, '_')
    .toLowerCase();
}

function fieldsOf(body: unknown): Field[] {
  const example = inside(body, 'example');
  return entries(inside(body, 'schema', 'properties')).map(([name, schema]) => ({
    name,
    kind: kindOf(schema),
    usual: isJson(example) && name in example,
  }));
}

/** By what the document lets a field hold. */
function kindOf(schema: unknown): Kind {
  if (!isJson(schema)) return 'text';
  const kinds = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isJson) : [schema];
  const types = new Set(kinds.flatMap(({ type }) => type));
  if (kinds.some(({ $ref }) => $ref)) return 'contact';
  if (schema.format === 'date-time') return 'time';
  if (types.has('boolean') || kinds.some((kind) => kind.enum)) return 'flag';
  if (types.has('object')) return 'object';
  if (types.has('array')) return 'labels';
  return types.has('integer') ? 'integer' : 'text';
}
