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
import type { Random } from './random.ts';
import { type Raw, type RawObject, rawOf } from './raw_json.ts';
import { type Account, inputOf } from './rest_requests.ts';
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

/** What an operation is about, in the singular: `update_contact`, `contact` and `contacts`. */
export const typeOf = (operation: string): string =>
  operation.replace(/^(create|update|upsert|delete|all)_/, '').replace(/s$/, '');

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
      return `${alias}${field.name}${this.#arguments(field)}${this.#selection(field, 0)}`;
    });
    const declared = this.#declared.length > 0 ? `(${this.#declared.join(', ')})` : '';
    return {
      text: [`${kind} Fuzz${declared} {`, ...roots, '}', ...this.#fragments].join('\n'),
      variables: this.#variables,
    };
  }

  #arguments(field: Field): string {
    const given = field.args.filter(
      ({ type, name }) =>
        isNonNullType(type) || this.#random.chance(name.startsWith('per_') ? 0.5 : 0.4),
    );
    if (given.length === 0) return '';
    const parts = given.map((argument) => `${argument.name}: ${this.#argument(field, argument)}`);
    return `(${parts.join(', ')})`;
  }

  #argument(field: Field, argument: GraphQLArgument): string {
    const value = this.#value(field, argument);
    const written = this.#random.chance(0.3) ? this.#literal(value, argument.type) : undefined;
    return written ?? this.#variable(value, String(argument.type));
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
    if (name === 'id') return String(pool.one(random, typeOf(field.name)));
    if (name === 'query') return rawOf(query(random, field.name in shapes ? field.name : 'deals'));
    if (/^(page|per_|limit|offset)/.test(name)) return random.pick(['1', '2', '"3"', '10', '20']);
    return this.#typed(name, type, /^(update|upsert)_/.test(field.name));
  }

  #typed(name: string, type: GraphQLInputType, updates: boolean): Raw {
    const random = this.#random;
    const bare = getNullableType(type);
    if (isListType(bare)) {
      return { items: random.many(0, 3, () => this.#typed(name, bare.ofType, updates)) };
    }
    if (isEnumType(bare)) return JSON.stringify(random.pick(bare.getValues()).name);
    if (!isInputObjectType(bare)) {
      return fieldValue(random, name, kinds[String(bare)] ?? 'text', this.#account.pool);
    }
    const fields = Object.values(bare.getFields()).map((field) => ({
      name: field.name,
      kind: kinds[String(getNamedType(field.type))] ?? 'text',
      // The records that an event belongs to are given beside its input.
      usual:
        /^(name|full_name|email|kind|title|status|quantity)$/.test(field.name) ||
        (field.name.endsWith('_id') && bare.name !== 'EventInput'),
    }));
    return inputOf(random, fields, updates, this.#account.pool);
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
    return `${alias}${field.name}${this.#arguments(field)}${directive}${this.#selection(field, depth)}`;
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
