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
  /** What it may be, or what a list of it may hold, where the document names that. */
  readonly values?: readonly unknown[];
}

/** The fields of a batch's records, by what is done to them. */
export type BatchFields = ReadonlyMap<string, readonly Field[]>;

export interface Operation {
  /** As the document names it: mostly the root field of GraphQL that does the same. */
  readonly id: string;
  readonly method: string;
  /** As the document writes it. */
  readonly template: string;
  /** The type that an answer of success shows, one or a page of it; undefined for none. */
  readonly shows: string | undefined;
  /** Of a body other than a search. */
  readonly fields: readonly Field[] | undefined;
  /** Of a body with many records. */
  readonly records: BatchFields | undefined;
  /** What the query string must have. */
  readonly required: readonly string[];
  /** The resource whose records it searches. */
  readonly searches: string | undefined;
}

export const nameOf = ({ method, template }: Operation): string =>
  `${method} ${template.replace('/api/v1/accounts/{account_id}', '')}`;

const document: unknown = JSON.parse(JSON.stringify(openapi()));

/** What lies in a value beneath keys, references followed. */
export function inside(value: unknown, ...keys: readonly string[]): unknown {
  let at = resolved(value);
  for (const key of keys) at = resolved(within(at, key));
  return at;
}

function within(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isJson(value) ? value[key] : undefined;
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

const snake = (name: string) => name.replaceAll(/(?<!^)(?=[A-Z])/g, '_').toLowerCase();

/** `deliveries` → `delivery`. */
export const singular = (resource: string): string =>
  resource.replace(/ies$/, 'y').replace(/s$/, '');

/** The type that a schema's name stands for: `IssuedWebhook` and `WebhookPage` → `webhook`. */
export const typeNamed = (name: string): string =>
  singular(snake(name.replace(/^(Issued|Upserted)/, '').replace(/(Detail|Page)$/, '')));

/** Streams have no length, and there are two at a time: they are tested by themselves. */
const paths = entries(inside(document, 'paths')).filter(
  ([template]) => !template.endsWith('/export'),
);

export const operations: readonly Operation[] = paths.flatMap(([template, item]) =>
  entries(item).map(([method, described]): Operation => {
    const searches = searchedBy(described);
    const body = inside(described, 'requestBody', 'content', 'application/json');
    const records = recordsOf(body);
    return {
      id: String(inside(described, 'operationId')),
      method: method.toUpperCase(),
      template,
      shows: shownBy(described),
      fields: body !== undefined && !searches && !records ? fieldsOf(body) : undefined,
      records,
      required: parametersOf(described)
        .filter(({ in: place, required }) => place === 'query' && required === true)
        .map(({ name }) => String(name)),
      searches,
    };
  }),
);

const types = new Set(operations.flatMap(({ shows }) => shows ?? []));

/** `/contacts/{contact_id}/events` → `contact`, where `{contact_id}` stands. */
export const typeOfParameter = (template: string, name: string): string =>
  typeBefore(template, `{${name}}`);

/** The type of the records that an operation changes. */
export const subjectOf = ({ template, records }: Operation): string =>
  records ? typeBefore(template, 'batch') : typeOfParameter(template, 'id');

/** What a path leaves out stands before the rest: `/deliveries/{id}` → `webhook_delivery`. */
function typeBefore(template: string, segment: string): string {
  const segments = template.split('/');
  const last = singular(segments[segments.indexOf(segment) - 1] ?? '');
  const longer = [...types].find((type) => type.endsWith(`_${last}`));
  return types.has(last) ? last : (longer ?? last);
}

function parametersOf(described: unknown): Readonly<Record<string, unknown>>[] {
  const parameters = inside(described, 'parameters');
  return Array.isArray(parameters) ? parameters.map(resolved).filter(isJson) : [];
}

/** By the name of the schema of its query or of its body: `WebhooksQuery`, `WebhooksSearch`. */
function searchedBy(described: unknown): string | undefined {
  const query = parametersOf(described).find(({ name }) => name === 'query')?.schema;
  const name = nameIn(query) ?? nameIn(schemaOf(inside(described, 'requestBody')));
  const resource = /^(\w+)(Query|Search)$/.exec(name ?? '')?.[1];
  return resource && snake(resource);
}

/** What a body holds, as it is written there: perhaps a reference. */
function schemaOf(described: unknown): unknown {
  const content = inside(described, 'content', 'application/json');
  return isJson(content) ? content.schema : undefined;
}

function nameIn(schema: unknown): string | undefined {
  return isJson(schema) && typeof schema.$ref === 'string'
    ? schema.$ref.split('/').at(-1)
    : undefined;
}

function shownBy(described: unknown): string | undefined {
  const success = ['200', '201']
    .map((status) => schemaOf(inside(described, 'responses', status)))
    .find((schema) => schema !== undefined);
  const name = nameIn(success);
  return name === undefined ? undefined : typeNamed(name);
}

function fieldsOf(body: unknown): Field[] {
  return fieldsIn(inside(body, 'schema'), inside(body, 'example'));
}

function fieldsIn(schema: unknown, example: unknown): Field[] {
  return entries(inside(schema, 'properties')).map(([name, given]) => {
    const shown = isJson(example) ? example[name] : undefined;
    const kind = kindOf(given);
    const values = valuesOf(kind, given, shown);
    return { name, kind, usual: shown !== undefined, ...(values && { values }) };
  });
}

/** What the records of a batch hold; undefined for a body of one record. */
function recordsOf(body: unknown): BatchFields | undefined {
  const verbs = inside(body, 'schema', 'properties', 'operation', 'enum');
  const kinds = inside(body, 'schema', 'properties', 'records', 'items', 'anyOf');
  if (!Array.isArray(verbs) || !Array.isArray(kinds)) return undefined;
  const shown = inside(body, 'example', 'records', '0');
  // One that is there has its id beside what else it holds.
  const [there] = kinds.flatMap((kind) => inside(kind, 'allOf', '0') ?? []);
  const [created, upserted = created] = kinds.filter((kind) => !inside(kind, 'allOf'));
  const id: Field = { name: 'id', kind: 'integer', usual: true };
  const fields: Readonly<Record<string, readonly Field[]>> = {
    // No path says to which others it belongs.
    create: fieldsIn(created, shown).map((field) => ({
      ...field,
      usual: field.usual || field.name.endsWith('_id'),
    })),
    upsert: fieldsIn(upserted, shown),
    update: [id, ...fieldsIn(there, shown)],
    delete: [id],
  };
  return new Map(verbs.map((verb) => [String(verb), fields[verb] ?? []]));
}

/** Of texts those that the document lists; of a list that is no list of labels its example, too. */
function valuesOf(kind: Kind, schema: unknown, shown: unknown): readonly unknown[] | undefined {
  const listed = inside(schema, ...(kind === 'list' ? ['items', 'enum'] : ['enum']));
  if (Array.isArray(listed)) return listed.filter((value) => value !== null);
  return kind === 'list' && Array.isArray(shown) ? shown : undefined;
}

/** By what the document lets a field hold. */
function kindOf(schema: unknown): Kind {
  if (!isJson(schema)) return 'text';
  const kinds = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isJson) : [schema];
  const found = new Set(kinds.flatMap(({ type }) => type));
  if (kinds.some(({ $ref }) => $ref)) return 'contact';
  if (schema.format === 'date-time') return 'time';
  if (found.has('boolean') || kinds.some((kind) => kind.enum)) return 'flag';
  if (found.has('object')) return 'object';
  if (found.has('array')) {
    if (kindOf(inside(schema, 'items')) === 'integer') return 'ids';
    return found.has('string') ? 'labels' : 'list';
  }
  return found.has('integer') ? 'integer' : 'text';
}
