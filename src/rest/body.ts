/** Which names a body of a route may hold, and what becomes of the others. */
import { type GraphQLOutputType, getNamedType, isObjectType } from 'graphql';
import { noField } from '../errors/did_you_mean.ts';
import { maxNamed, type UnknownInput } from '../errors/errors.ts';
import { schema } from '../graphql/schema.ts';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import { inputFieldsOf, inputOf, rootField } from './operations.ts';

/** Whether a field can be sent, or is only shown and so may be sent back. */
type Place = 'input' | 'shown';

interface FieldNames {
  readonly fields: ReadonlyMap<string, Place>;
  /** The known names of objects that stand under some of these. */
  readonly beneath: ReadonlyMap<string, FieldNames>;
}

/** A name that is not a field of the record at all. */
export interface Unknown {
  /** As `contact_attributes.mail` where it is nested. */
  readonly name: string;
  readonly own: string;
  /** The fields that may stand beside it. */
  readonly known: FieldNames;
}

/** A body, sorted. */
export interface SortedBody {
  /** The fields that can be sent, and of objects in them theirs. */
  readonly input: JsonObject;
  readonly unknown: readonly Unknown[];
}

const none: readonly Unknown[] = [];

/** @returns what sorts the fields of an operation's bodies */
export function bodySorter(operation: string): (body: JsonObject) => SortedBody {
  const input = inputOf(operation);
  if (!input) throw new Error(`${operation} takes no input`);
  const known = knownOf(input, recordOf(rootField(operation).field.type));
  return (body) => sort(body, known);
}

/** @returns what sorts bodies that hold these names and no others */
export function nameSorter(names: readonly string[]): (body: JsonObject) => SortedBody {
  const known: FieldNames = {
    fields: new Map(names.map((name) => [name, 'input'])),
    beneath: new Map(),
  };
  return (body) => sort(body, known);
}

function knownOf(input: string, record: string): FieldNames {
  const inputFields = inputFieldsOf(input);
  const type = schema.getType(record);
  const outputFields = isObjectType(type) ? Object.keys(type.getFields()) : [];
  const place = (of: Place) => (name: string) => [name, of] as const;
  return {
    fields: new Map([
      ...outputFields.map(place('shown')),
      ...[...inputFields.keys()].map(place('input')),
    ]),
    beneath: new Map(
      [...inputFields].flatMap(([name, type]) => {
        const of = disguised[type];
        return of ? [[name, knownOf(...of)]] : [];
      }),
    ),
  };
}

/** Scalars that hold the fields of an input, and the record that these are of. */
const disguised: Readonly<Record<string, readonly [input: string, record: string]>> = {
  ContactAttributes: ['ContactAttributesInput', 'Contact'],
};

/** The type of the record that an operation returns, by itself or in a payload. */
function recordOf(returned: GraphQLOutputType): string {
  const type = getNamedType(returned);
  if (!isObjectType(type)) return type.name;
  const fields = Object.values(type.getFields());
  const inside = fields.find((field) => isObjectType(getNamedType(field.type)));
  return type.getFields().id || !inside ? type.name : getNamedType(inside.type).name;
}

function sort(body: JsonObject, known: FieldNames): SortedBody {
  let isInput = true;
  let nested: Record<string, JsonObject> | undefined;
  let unknown: Unknown[] | undefined;
  for (const name in body) {
    const place = known.fields.get(name);
    if (place === 'input') {
      const inner = known.beneath.get(name);
      const value = inner && body[name];
      if (!inner || !isJsonObject(value)) continue;
      const within = sort(value, inner);
      if (within.input !== value) (nested ??= {})[name] = within.input;
      for (const each of within.unknown) {
        (unknown ??= []).push({ ...each, name: `${name}.${each.name}` });
      }
      continue;
    }
    isInput = false;
    if (place === 'shown') continue;
    unknown ??= [];
    if (unknown.length < maxNamed) unknown.push({ name, own: name, known });
  }
  const input = isInput ? body : inputAlone(body, known);
  return { input: nested ? { ...input, ...nested } : input, unknown: unknown ?? none };
}

/** What is wrong with an unknown field, for clients that ask for strict handling. */
export function misplaced({ name, own, known: { fields } }: Unknown): UnknownInput {
  const names = [...fields].flatMap(([known, place]) => (place === 'input' ? known : []));
  return { name, message: noField(own, names) };
}

const inputAlone = (body: JsonObject, { fields }: FieldNames): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => fields.get(name) === 'input'));

/**
 * The only name in a body that holds nothing but an object or a list under an unknown name: fields inside it
 * would be ignored.
 */
export function wrapperOf(body: JsonObject, { unknown }: SortedBody): string | undefined {
  const [name, ...others] = Object.keys(body);
  if (name === undefined || others.length > 0 || unknown[0]?.name !== name) return undefined;
  const value = body[name];
  return isJsonObject(value) || Array.isArray(value) ? name : undefined;
}
