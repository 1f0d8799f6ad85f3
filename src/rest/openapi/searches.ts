/** Searches: which keys a query takes, which page is wanted, and the language of them all. */
import {
  type Searchable,
  type SearchReference,
  searchedBy,
  searchReference,
} from '../../graphql/searchables.ts';
import { countings, defaults, largestPage } from '../../search/page.ts';
import type { Takes } from '../../search/predicate.ts';
import { predicates } from '../../search/predicates.ts';
import { limits } from '../../search/search.ts';
import { searchExamples } from './examples.ts';
import { blankableInteger, lenientFlag, lenientInteger } from './scalars.ts';
import type { Components, Schema, SchemaWithExample } from './schema.ts';

const texts = { type: ['string', 'number', 'boolean', 'null'] };

/** Kinds of attributes: what they are compared with, and what the documentation calls them. */
const kinds: Readonly<
  Record<Searchable['kind'], { readonly value: Schema; readonly called: string }>
> = {
  boolean: { value: { type: ['boolean', 'string', 'integer', 'null'] }, called: 'true or false' },
  integer: { value: blankableInteger, called: 'integers' },
  json: { value: texts, called: 'by key, as text' },
  labels: { value: { type: ['string', 'null'] }, called: 'labels, one at a time' },
  text: { value: texts, called: 'texts' },
  timestamp: {
    value: {
      type: ['string', 'null'],
      description: 'An ISO 8601 time or day, in UTC; or so many days from now, such as `-P14D`.',
    },
    called: 'times',
  },
};

const schemas: Readonly<Record<Takes, (kind: Searchable['kind']) => Schema>> = {
  value: (kind) => kinds[kind].value,
  list: (kind) => {
    const { value } = kinds[kind];
    return { anyOf: [{ type: 'array', items: value }, value] };
  },
  flag: () => lenientFlag,
};

const takenNames: Readonly<Record<Takes, string>> = {
  value: 'a value',
  list: 'a list of values',
  flag: 'true or false',
};

/** A list, or an object whose keys count, as forms send lists. */
const listed = (items: Schema): Schema => ({
  type: ['array', 'object', 'null'],
  items,
  additionalProperties: items,
});

const combinator = { type: ['string', 'null'], enum: ['and', 'or', null] };

/** The name of an attribute, also within an object, as Ransack's forms send it. */
const attribute = {
  anyOf: [{ type: 'string' }, { type: 'object', properties: { name: { type: 'string' } } }],
};

/** A value, also within an object, as Ransack's forms send it. */
const compared = { anyOf: [texts, { type: 'object', properties: { value: texts } }] };

const condition: Schema = {
  type: 'object',
  description: 'A condition written out.',
  required: ['a', 'p', 'v'],
  properties: {
    a: { description: 'Attributes.', anyOf: [{ type: 'string' }, listed(attribute)] },
    p: { description: 'The predicate.', enum: predicates.map(({ name }) => name) },
    v: { description: 'Values.', anyOf: [texts, listed(compared)] },
    m: { ...combinator, description: 'Whether all attributes are meant or any of them.' },
  },
};

const order = {
  anyOf: [{ type: ['string', 'null'] }, { type: 'array', items: { type: 'string' } }],
  description: 'The order: `"created_at desc"`, or a list of such. By id where nothing is said.',
};

/** What people type. */
const typed = (foundBy: readonly string[]): Schema => ({
  type: ['string', 'number', 'null'],
  description: `Up to ${limits.words} words, all of which must be in ${quoted(foundBy)}, whatever their order, case and accents. The best matches come first, and where nothing matches, what is similar.`,
  maxLength: limits.typed,
  examples: ['jose goncalves'],
});

/** Keys that are not conditions. */
const structure = (
  query: Schema,
  written: Schema,
  { foundBy }: SearchReference,
): Readonly<Record<string, Schema>> => ({
  ...(foundBy.length > 0 && { q: typed(foundBy) }),
  m: {
    ...combinator,
    description: 'Whether all conditions hold (`and`) or at least one of them (`or`).',
  },
  g: { ...listed(query), description: 'Groups: a list of queries, each with an `m` of its own.' },
  c: { ...listed(written), description: 'Conditions written out.' },
  s: order,
  sorts: order,
});

/** What a search takes. */
export interface SearchInput {
  readonly body: SchemaWithExample;
  /** Bodies by name, each with what it finds. */
  readonly examples: Schema;
  /** The query alone, as the query string may carry it. */
  readonly query: SchemaWithExample;
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
  const reference = searchReference(searchedBy(operation));
  const { searchables, associations } = reference;
  const lines = searchables.map(
    ({ kind, attributes }) => `- ${kinds[kind].called}: ${quoted(attributes.map(keyed(kind)))}`,
  );
  const behind = associations.length
    ? `\n\nAttributes of ${quoted(associations)} are named behind \`<association>_\`.`
    : '';
  const written = components.keep(['Condition'], { schema: condition, example: undefined });
  const schema = {
    type: ['object', 'null'],
    description: `${description}\n\n${lines.join('\n')}${behind}`,
    properties: structure({ $ref: `#/components/schemas/${name}Query` }, written.schema, reference),
    patternProperties: Object.assign({}, ...searchables.map(patterns)),
    propertyNames: { type: 'string', pattern: keysOf(reference) },
    // For generators, many of which know no patterns: a key of a name that is allowed holds anything.
    additionalProperties: {},
  };
  const examples = searchExamples[operation] ?? {
    sorted: { finds: 'The newest', query: newest },
  };
  const [first] = Object.values(examples);
  const query = components.keep([`${name}Query`], { schema, example: first?.query });
  return {
    query,
    body: bodyOf(query, name, components),
    examples: Object.fromEntries(
      Object.entries(examples).map(([key, { finds, query, per_page }]) => [
        key,
        {
          summary: finds,
          value: { query, page: defaults.page, per_page: per_page ?? defaults.perPage },
        },
      ]),
    ),
  };
}

const newest = { s: 'id desc' };

function bodyOf(query: SchemaWithExample, name: string, components: Components): SchemaWithExample {
  const properties = {
    query: query.schema,
    page: { ...lenientInteger, description: pageTexts.page },
    per_page: { ...lenientInteger, description: pageTexts.per_page },
    after: { type: ['string', 'null'], description: pageTexts.after },
    count: { ...counting, description: pageTexts.count },
  };
  return components.keep([`${name}Search`], {
    schema: { type: 'object', additionalProperties: false, properties },
    example: undefined,
  });
}

const pageTexts = {
  page: `Which page, from 1; ${defaults.page} when left out.`,
  per_page: `Records on a page, 1 to ${largestPage}; ${defaults.perPage} when left out.`,
  after: 'In place of a page: the `X-Next-Cursor` of the one before, with the same query.',
  count: `How to count what matches; \`${countings[0]}\` when left out.`,
};

const counting = { type: ['string', 'null'], enum: [...countings, '', null] };

/** The page as the query string may name it. */
export const pageParameters: readonly Schema[] = [
  {
    name: 'page',
    in: 'query',
    description: pageTexts.page,
    schema: { type: 'integer', minimum: 1, default: defaults.page },
    example: defaults.page,
  },
  {
    name: 'per_page',
    in: 'query',
    description: pageTexts.per_page,
    schema: { type: 'integer', minimum: 1, maximum: largestPage, default: defaults.perPage },
    example: defaults.perPage,
  },
  {
    name: 'after',
    in: 'query',
    description: pageTexts.after,
    schema: { type: 'string' },
    // Every other one would belong to a search that was made.
    example: '',
  },
  {
    name: 'count',
    in: 'query',
    description: pageTexts.count,
    schema: { type: 'string', enum: countings, default: countings[0] },
    example: countings[0],
  },
];

const keyed = (kind: Searchable['kind']) => (attribute: string) =>
  kind === 'json' ? `${attribute}.<key>` : attribute;

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** One pattern for the predicates that take the same, so that a client can check its keys. */
function patterns({ kind, attributes, predicates: all }: Searchable): Record<string, Schema> {
  const names = attributes.join('|');
  const subject = kind === 'json' ? `(${names})\\..+` : `(${names})`;
  const schemasByPattern: Record<string, Schema> = {};
  for (const takes of Object.keys(schemas).filter((name): name is Takes => name in schemas)) {
    const endings = all.filter((predicate) => predicate.takes === takes);
    if (endings.length === 0) continue;
    const ending = endings.map(({ name }) => name).join('|');
    schemasByPattern[`^${subject}_(${ending})$`] = schemas[takes](kind);
  }
  return schemasByPattern;
}

/**
 * The keys that there are: those of the structure, and attributes, also behind associations or several that are
 * joined, whatever they are asked. It is a value, because parsers of YAML end a key after 1,024 characters.
 */
function keysOf({ steps, attributes, foundBy }: SearchReference): string {
  const names = [...attributes].map(([name, kind]) => (kind === 'json' ? `${name}\\..+` : name));
  const name = `(${[...steps].map((step) => `${step}_`).join('|')})*(${names.join('|')})`;
  const predicateNames = predicates.map((predicate) => predicate.name).join('|');
  return `^(${foundBy.length > 0 ? 'q|' : ''}m|g|c|s|sorts|${name}(_(or|and)_${name})*_(${predicateNames}))$`;
}

/** The reference of all predicates, as a table. */
export const predicateTable: string = [
  '| predicate | true when the attribute | takes |',
  '|---|---|---|',
  ...predicates.map(
    ({ name, meaning, takes }) => `| \`${name}\` | ${meaning} | ${takenNames[takes]} |`,
  ),
].join('\n');
