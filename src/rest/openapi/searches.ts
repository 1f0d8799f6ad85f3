/** Searches: which keys a query takes, which page is wanted, and the language of them all. */
import { type Searchable, searchReference } from '../../graphql/searchables.ts';
import { defaults, largestPage } from '../../search/page.ts';
import type { Takes } from '../../search/predicate.ts';
import { predicates } from '../../search/predicates.ts';
import { lenientInteger } from './scalars.ts';
import type { Components, Described, Schema } from './schema.ts';

const texts = { type: ['string', 'number', 'boolean', 'null'] };

/** Kinds of attributes: what they are compared with, and what the documentation calls them. */
const kinds: Readonly<
  Record<Searchable['kind'], { readonly value: Schema; readonly called: string }>
> = {
  boolean: { value: { type: ['boolean', 'string', 'integer', 'null'] }, called: 'true or false' },
  integer: { value: lenientInteger, called: 'integers' },
  json: { value: texts, called: 'by key, as text' },
  labels: { value: { type: ['string', 'null'] }, called: 'labels, one at a time' },
  text: { value: texts, called: 'texts' },
  timestamp: {
    value: { type: ['string', 'null'], description: 'An ISO 8601 time or day, in UTC.' },
    called: 'times',
  },
};

const taken: Readonly<Record<Takes, (kind: Searchable['kind']) => Schema>> = {
  value: (kind) => kinds[kind].value,
  list: (kind) => {
    const { value } = kinds[kind];
    return { anyOf: [{ type: 'array', items: value }, value] };
  },
  flag: () => ({ enum: [true, false, 'true', 'false', 1, 0, '1', '0', null] }),
};

const takenNames: Readonly<Record<Takes, string>> = {
  value: 'a value',
  list: 'a list of values',
  flag: 'true or false',
};

const nested = { type: ['object', 'array', 'null'], additionalProperties: true, items: {} };

/** Keys that are not conditions. */
const structure = {
  m: {
    type: ['string', 'null'],
    enum: ['and', 'or', null],
    description: 'Whether all conditions hold (`and`) or at least one of them (`or`).',
  },
  g: { ...nested, description: 'Groups: a list of queries, each with an `m` of its own.' },
  c: {
    ...nested,
    description:
      'Conditions in parts: a list of `{"a": [attributes], "p": predicate, "v": [values]}`.',
  },
  s: {
    anyOf: [{ type: ['string', 'null'] }, { type: 'array', items: { type: 'string' } }],
    description: 'The order: `"created_at desc"`, or a list of such. By id where nothing is said.',
  },
};

/** What a search takes. */
export interface SearchInput {
  readonly body: Described;
  /** The query alone, as the query string may carry it. */
  readonly query: Described;
}

/**
 * @param operation the root field that searches
 * @param description of the query, by the schema
 */
export function searchInput(
  operation: string,
  name: string,
  description: string,
  components: Components,
): SearchInput {
  const { searchables, associations } = searchReference(operation);
  const lines = searchables.map(
    ({ kind, attributes }) => `- ${kinds[kind].called}: ${quoted(attributes.map(keyed(kind)))}`,
  );
  const behind = associations.length
    ? `\n\nAttributes of ${quoted(associations)} are named behind \`<association>_\`.`
    : '';
  const schema = {
    type: ['object', 'null'],
    description: `${description}\n\n${lines.join('\n')}${behind}`,
    properties: { ...structure, sorts: structure.s },
    patternProperties: Object.assign({}, ...searchables.map(patterns)),
    // Joined attributes and those behind associations.
    additionalProperties: true,
  };
  const query = components.keep([`${name}Query`], { schema, example: exampleOf(searchables) });
  return { query, body: bodyOf(query, name, components) };
}

function bodyOf(query: Described, name: string, components: Components): Described {
  const properties = {
    query: query.schema,
    page: { ...lenientInteger, description: pageTexts.page },
    per_page: { ...lenientInteger, description: pageTexts.per_page },
  };
  return components.keep([`${name}Search`], {
    schema: { type: 'object', properties },
    example: { query: query.example, page: defaults.page, per_page: defaults.perPage },
  });
}

const pageTexts = {
  page: `Which page, from 1; ${defaults.page} when left out.`,
  per_page: `Records on a page, 1 to ${largestPage}; ${defaults.perPage} when left out.`,
};

/** The page as the query string may name it. */
export const pageParameters: readonly Schema[] = [
  {
    name: 'page',
    in: 'query',
    description: pageTexts.page,
    schema: { type: 'integer', minimum: 1, default: defaults.page },
  },
  {
    name: 'per_page',
    in: 'query',
    description: pageTexts.per_page,
    schema: { type: 'integer', minimum: 1, maximum: largestPage, default: defaults.perPage },
  },
];

const keyed = (kind: Searchable['kind']) => (attribute: string) =>
  kind === 'json' ? `${attribute}.<key>` : attribute;

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** One pattern for the predicates that take the same, so that a client can check its keys. */
function patterns({ kind, attributes, predicates: asked }: Searchable): Record<string, Schema> {
  const names = attributes.join('|');
  const subject = kind === 'json' ? `(${names})\\..+` : `(${names})`;
  const found: Record<string, Schema> = {};
  for (const takes of Object.keys(taken).filter((name): name is Takes => name in taken)) {
    const endings = asked.filter((predicate) => predicate.takes === takes);
    if (endings.length === 0) continue;
    const ending = endings.map(({ name }) => name).join('|');
    found[`^${subject}_(${ending})$`] = taken[takes](kind);
  }
  return found;
}

function exampleOf(searchables: readonly Searchable[]): Readonly<Record<string, string>> {
  const text = searchables.find(({ kind }) => kind === 'text')?.attributes[0];
  return text ? { [`${text}_cont`]: 'an', s: 'id desc' } : { s: 'id desc' };
}

/** The reference of all predicates, as a table. */
export const predicateTable: string = [
  '| predicate | true when the attribute | takes |',
  '|---|---|---|',
  ...predicates.map(
    ({ name, meaning, takes }) => `| \`${name}\` | ${meaning} | ${takenNames[takes]} |`,
  ),
].join('\n');
