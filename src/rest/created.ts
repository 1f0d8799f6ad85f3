/** Answers that show the one record that a request created, made again of what was kept of it. */
import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { entityTag } from '../http/etag.ts';
import { stringifyJson } from '../json.ts';
import type { Created } from '../keyed.ts';
import { fieldsShown, rootField } from './operations.ts';

/**
 * @param operation that creates the record
 * @returns what makes the answer again, with the fields that it had, whatever such a record shows by now
 */
export function tellingAgain(operation: string): Created['tell'] {
  const type = getNamedType(rootField(operation).field.type);
  const fields = isObjectType(type) ? type.getFields() : {};
  const inOrder = fieldsShown(operation);
  const show = (name: string, value: unknown): unknown => {
    const leaf = fields[name] && getNamedType(fields[name].type);
    if (!isLeafType(leaf) || value === null) return value;
    return Array.isArray(value) ? value.map((one) => leaf.serialize(one)) : leaf.serialize(value);
  };
  return ({ version, ...record }, headers) => {
    const others = Object.keys(record).filter((name) => !inOrder.includes(name));
    const names = [...inOrder.filter((name) => name in record), ...others];
    return {
      headers: { ...headers, ...(version !== undefined && { etag: entityTag(String(version)) }) },
      body: stringifyJson(
        Object.fromEntries(names.map((name) => [name, show(name, record[name])])),
      ),
    };
  };
}
