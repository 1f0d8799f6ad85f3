/** Valid documents of GraphQL, made from the schema. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { schema } from '../../src/graphql/schema.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { operations, singular, typeNamed } from './operations.ts';
import type { Random } from './random.ts';
import { type Raw, type RawObject, rawOf, writeRaw } from './raw_json.ts';
import { type Account, bodyOf, inputOf } from './rest_requests.ts';
import { query } from './searches.ts';
import { fieldValue, type Kind } from './values.ts';

export interface Document {
  readonly text: string;
  readonly variables: RawObject;
}

type Field = GraphQLField<unknown, unknown>;

const fieldsOf = (type: GraphQLObjectType | null | undefined): Field[] =>
  Object.values(type?.getFields() ?? {});

/** Every root field, reading ones first. */
export const rootFields: readonly (readonly ['query' | 'mutation', Field])[] = [
  ...fieldsOf(schema.getQueryType()).map((field) => ['query', field] as const),
  ...fieldsOf(schema.getMutationType()).map((field) => ['mutation', field] as const),
];

/** What a field searches, which it is named after, or which is deals; undefined for one that searches several. */
function searchedBy({ name, type }: Field): string | undefined {
  const isPage = getNamedType(type).name.endsWith('Page');
  const records = name.replace(/_count$/, '');
  if (records in shapes || (isPage && documented.get(name)?.searches)) return records;
  return /deal/.test(name) ? 'deals' : undefined;
}

/** All that root fields are named after, in the singular and the longest first. */
const subjects = rootFields
  .flatMap(([kind, { name }]) =>
    kind === 'query' ? name : (/^create_(\w+)/.exec(name)?.[1] ?? []),
  )
  .filter((name) => !name.startsWith('all_'))
  .map(singular)
  .sort((one, other) => other.length - one.length);

/** What a root field is about, in the singular: `update_contact`, `merge_contacts` and `contacts`. */
export const typeOf = (name: string): string =>
  subjects.find((subject) => `_${singular(name)}_`.includes(`_${subject}_`)) ?? singular(name);

/** The type of the record that a root field shows, or holds beside something else. */
export const shownBy = (name: string): string => {
  const field = rootFields.find(([, one]) => one.name === name)?.[1];
  return field ? typeNamed(getNamedType(field.type).name) : '';
};

export const isMutation = (name: string): boolean =>
  rootFields.some(([kind, field]) => kind === 'mutation' && field.name === name);

/** The operation of REST that does the same as a root field. */
const documented = new Map(operations.map((operation) => [operation.id, operation]));

const kinds: Readonly<Record<string, Kind>> = {
  Integer: 'integer',
  DateTime: 'time',
  JSONObject: 'object',
  Text: 'text',
  Flag: 'flag',
  Labels: 'labels',
  ContactAttributes: 'contact',
};

const named = /^[_A-Za-z]\w*$/;

/** How often an argument is given that may be left out, where that is not as often as others. */
const shares: Readonly<Record<string, number>> = {
  // Of what came before: most of what is made up leads nowhere.
  after: 0.03,
  if_version: 0.03,
  // So that what a document may come to stays within its limit.
  limit: 0.8,
  per_page: 0.8,
  per_stage: 0.8,
  q: 0.97,
};

/** How often what is beneath a root field is searched: a query that is refused takes the whole with it. */
const queryShare = 0.1;

/** Fields that are mostly given, of inputs that REST does not have. */
const usual = /^(list|name|email|endpoint|p256dh|auth|current_password|request_id)$/;

/** Writes one document. */
export class Writer {
  readonly #random: Random;
  readonly #account: Account;
  readonly #variables: RawObject = { entries: [] };
  readonly #declared: string[] = [];
  readonly #fragments: string[] = [];
  #fields = 0;

  constructor(random: Random, account: Account) {
    this.#random = random;
    this.#account = account;
  }

  document(kind: 'query' | 'mutation', fields: readonly Field[]): Document {
    const random = this.#random;
    const roots = fields.map((field, at) => {
      const alias = fields.length > 1 || random.chance(0.2) ? `r${at}: ` : '';
      return `${alias}${field.name}${this.#arguments(field, shares)}${this.#selection(field, 0)}`;
    });
    const declared = this.#declared.length > 0 ? `(${this.#declared.join(', ')})` : '';
    return {
      text: [`${kind} Fuzz${declared} {`, ...roots, '}', ...this.#fragments].join('\n'),
      variables: this.#variables,
    };
  }

  /** @param often how often each argument is given that may be left out */
  #arguments(field: Field, often: typeof shares): string {
    const batch = documented.get(field.name)?.records && this.#batchOf(field);
    const given = field.args.filter(
      ({ type, name }) =>
        isNonNullType(type) || (batch ? batch.has(name) : this.#random.chance(often[name] ?? 0.4)),
    );
    if (given.length === 0) return '';
    const parts = given.map((argument) => {
      const value = batch?.get(argument.name) ?? this.#value(field, argument);
      return `${argument.name}: ${this.#argument(argument, value)}`;
    });
    return `(${parts.join(', ')})`;
  }

  /** The arguments of a batch, which depend on each other. */
  #batchOf({ name }: Field): ReadonlyMap<string, Raw> {
    const operation = documented.get(name);
    const body = operation && bodyOf(this.#random, operation, this.#account.pool);
    return new Map(body?.entries.map(([key, value]) => [key.slice(1, -1), value]));
  }

  #argument(argument: GraphQLArgument, value: Raw): string {
    const before = this.#declared.length;
    const written = this.#random.chance(0.3) ? this.#literal(value, argument.type) : undefined;
    if (written !== undefined) return written;
    // What was to stand within it is used nowhere.
    this.#declared.length = before;
    this.#variables.entries.length = before;
    return this.#variable(value, String(argument.type));
  }

  #variable(value: Raw, type: string): string {
    const name = `v${this.#declared.length}`;
    this.#variables.entries.push([`"${name}"`, value]);
    this.#declared.push(`$${name}: ${type}`);
    return `$${name}`;
  }

  /** A JSON value as a document writes it; undefined for what it has no words for. */
  #literal(raw: Raw, type: GraphQLInputType | undefined): string | undefined {
    const bare = type && getNullableType(type);
    if (typeof raw === 'string') return isEnumType(bare) ? raw.replaceAll('"', '') : raw;
    if ('items' in raw) {
      const parts = raw.items.map((one) =>
        this.#literal(one, isListType(bare) ? bare.ofType : bare),
      );
      return parts.includes(undefined) ? undefined : `[${parts.join(', ')}]`;
    }
    const parts = raw.entries.map(([key, value]) => {
      const name = key.slice(1, -1);
      const field = isInputObjectType(bare) ? bare.getFields()[name] : undefined;
      // Within free JSON a variable may stand wherever a value may.
      const part =
        !isInputObjectType(bare) && this.#random.chance(0.4)
          ? this.#variable(value, 'JSONObject')
          : this.#literal(value, field?.type);
      return named.test(name) && part !== undefined ? `${name}: ${part}` : undefined;
    });
    return parts.includes(undefined) ? undefined : `{${parts.join(', ')}}`;
  }

  #value(field: Field, { name, type }: GraphQLArgument): Raw {
    const random = this.#random;
    const { id, pool } = this.#account;
    if (name === 'account_id') return String(id);
    if (name === 'id') return String(pool.subject(random, field.name, typeOf(field.name)));
    const resource = name === 'query' ? searchedBy(field) : undefined;
    if (resource !== undefined) return rawOf(query(random, resource));
    if (/^(page|per_|limit|offset)/.test(name)) return random.pick(['1', '2', '"3"', '10', '20']);
    return this.#typed(name, type, field.name);
  }

  /** @param root the name of the root field that it is for, or of the field beneath one */
  #typed(name: string, type: GraphQLInputType, root: string): Raw {
    const random = this.#random;
    const bare = getNullableType(type);
    if (isListType(bare)) {
      const items = random.many(0, 3, () => this.#typed(name, bare.ofType, root));
      return { items: [...new Map(items.map((item) => [writeRaw(item), item])).values()] };
    }
    if (isEnumType(bare)) return JSON.stringify(random.pick(bare.getValues()).name);
    const { pool } = this.#account;
    const about = typeOf(root);
    if (!isInputObjectType(bare)) {
      return fieldValue(random, { name, kind: kinds[String(bare)] ?? 'text' }, about, pool);
    }
    const known = new Map(documented.get(root)?.fields?.map((field) => [field.name, field]));
    const fields = Object.values(bare.getFields()).map(
      (field) =>
        known.get(field.name) ?? {
          name: field.name,
          kind: kinds[String(getNamedType(field.type))] ?? 'text',
          usual: usual.test(field.name),
        },
    );
    const updates = root.startsWith('update_');
    return inputOf(random, fields, { updates, type: about }, pool);
  }

  /** The braces of a field and what is in them; nothing for a field without any. */
  #selection(field: Field, depth: number): string {
    const type = getNamedType(field.type);
    return isObjectType(type) ? ` { ${this.#selected(type, depth).join(' ')} }` : '';
  }

  #selected(type: GraphQLObjectType, depth: number): string[] {
    const random = this.#random;
    const all = fieldsOf(type);
    const chosen = all.filter(({ type: of, name }) => {
      if (!isObjectType(getNamedType(of))) return name === 'id' || random.chance(0.5);
      // What only holds others is nothing without them.
      return name === 'data' || (depth < 5 && this.#fields < 150 && random.chance(0.35));
    });
    const parts = (chosen.length > 0 ? chosen : all.slice(0, 1)).map((field) =>
      this.#selectedField(field, depth + 1),
    );
    if (random.chance(0.1)) parts.push('__typename');
    if (random.chance(0.08))
      return [`... on ${type.name} { ${parts.join(' ')} }`, ...parts.slice(0, 1)];
    if (!random.chance(0.08)) return parts;
    const name = `F${this.#fragments.length}`;
    this.#fragments.push(`fragment ${name} on ${type.name} { ${parts.join(' ')} }`);
    return [`...${name}`];
  }

  #selectedField(field: Field, depth: number): string {
    const random = this.#random;
    this.#fields += 1;
    const alias = random.chance(0.06) ? `${random.pick(aliases)}${this.#fields}: ` : '';
    const directive = random.chance(0.03) ? random.pick(directives) : '';
    const given = this.#arguments(field, { ...shares, query: queryShare });
    return `${alias}${field.name}${given}${directive}${this.#selection(field, depth)}`;
  }
}

const aliases = ['a', '_', 'id', 'data', '__proto__', 'constructor'];
const directives = [
  ' @include(if: true)',
  ' @skip(if: false)',
  ' @skip(if: true)',
  ' @include(if: false)',
];

/** The body of a request. */
export const rawEnvelope = (text: string, variables: Raw, operationName?: Raw): RawObject => ({
  entries: [
    ['"query"', JSON.stringify(text)],
    ['"variables"', variables],
    ...(operationName === undefined ? [] : [['"operationName"', operationName] as [string, Raw]]),
  ],
});
