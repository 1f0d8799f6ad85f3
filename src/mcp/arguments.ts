/** The arguments of tools: their JSON Schema, which is what clients see, is what reads them. */
import { coded, notInList } from '../errors/codes.ts';
import { noField } from '../errors/did_you_mean.ts';
import { Faults } from '../errors/errors.ts';
import { isJsonObject, type JsonObject, stringifyJson } from '../json/json.ts';
import { readInteger } from '../lib/integer.ts';

/** Of an argument, as far as tools need it. */
export interface Argument {
  readonly type: 'string' | 'integer' | 'boolean' | 'object' | 'array';
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Pick<Argument, 'type' | 'enum'>;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface ArgumentsSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Argument>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

export const argumentsOf = (
  properties: Readonly<Record<string, Argument>>,
  required: readonly string[] = [],
): ArgumentsSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** Longer texts are no arguments of a tool, but documents. */
const longestText = 255;

const called = { string: 'a string', integer: 'an integer', boolean: 'true or false' } as const;

type Report = Parameters<Faults['add']>[1];

/** @returns the value as the schema has it, or what is wrong with it */
function read(value: unknown, argument: Argument): { readonly value: unknown } | Report {
  const { type, enum: values, items, minItems = 0, maxItems = 1000 } = argument;
  const { minimum, maximum, maxLength = longestText } = argument;
  switch (type) {
    case 'string':
      if (typeof value !== 'string') return `must be ${called.string}`;
      if (values && !values.includes(value)) return notInList(values);
      if (value.length > maxLength) {
        return coded('too_long', `is too long (maximum is ${maxLength} characters)`);
      }
      return { value };
    case 'integer': {
      const number = readInteger(value);
      if (!Number.isFinite(number)) return `must be ${called.integer}`;
      if (minimum !== undefined && number < minimum) {
        return coded('too_small', `must be greater than or equal to ${minimum}`);
      }
      if (maximum !== undefined && number > maximum) {
        return coded('too_large', `must be less than or equal to ${maximum}`);
      }
      return { value: number };
    }
    case 'boolean':
      return typeof value === 'boolean' ? { value } : `must be ${called.boolean}`;
    case 'object':
      return isJsonObject(value) ? { value } : 'must be an object';
    case 'array': {
      if (!Array.isArray(value)) return 'must be a list';
      if (value.length < minItems) return coded('blank', 'must not be empty');
      if (value.length > maxItems) return coded('too_many', `has more than ${maxItems} members`);
      const results = items ? value.map((each) => readItem(each, items)) : value.map(asIs);
      const wrong = results.find((each) => !isRead(each));
      if (wrong !== undefined && !isRead(wrong)) return wrong;
      return { value: results.map((each) => (isRead(each) ? each.value : undefined)) };
    }
  }
}

const asIs = (value: unknown) => ({ value });
const readItem = (value: unknown, items: Pick<Argument, 'type' | 'enum'>) => read(value, items);
const isRead = (one: { readonly value: unknown } | Report): one is { readonly value: unknown } =>
  typeof one === 'object' && 'value' in one;

/** Arguments that have the types that their schema gives them. */
export class Arguments {
  readonly #values: ReadonlyMap<string, unknown>;

  private constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values;
  }

  /**
   * @param input by a client; null leaves an argument out
   * @throws {Fault} VALIDATION_FAILED with all that is wrong
   */
  static read(input: JsonObject, { properties, required = [] }: ArgumentsSchema): Arguments {
    const faults = new Faults();
    const values = new Map<string, unknown>();
    for (const [name, value] of Object.entries(input)) {
      const argument = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!argument) {
        faults.addMisplaced({ name, message: noField(name, Object.keys(properties)) });
      } else if (value !== null && value !== undefined) {
        const result = read(value, argument);
        if (isRead(result)) values.set(name, result.value);
        else faults.add(name, result);
      }
    }
    for (const name of required) {
      if (!values.has(name) && !faults.has(name))
        faults.add(name, coded('blank', "can't be blank"));
    }
    faults.throwIfAny();
    return new Arguments(values);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return typeof value === 'string' ? value : undefined;
  }

  integer(name: string): number | undefined {
    const value = this.#values.get(name);
    return typeof value === 'number' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.#values.get(name) === true;
  }

  object(name: string): JsonObject | undefined {
    const value = this.#values.get(name);
    return isJsonObject(value) ? value : undefined;
  }

  list(name: string): readonly unknown[] {
    const value = this.#values.get(name);
    return Array.isArray(value) ? value : [];
  }

  integers(name: string): readonly number[] {
    return this.list(name).filter((one) => typeof one === 'number');
  }

  texts(name: string): readonly string[] {
    return this.list(name).filter((one) => typeof one === 'string');
  }

  /** The same arguments have the same text, in whatever order they were sent; those named are left out. */
  textWithout(...names: readonly string[]): string {
    const sorted = [...this.#values]
      .filter(([name]) => !names.includes(name))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    return stringifyJson(sorted);
  }
}
