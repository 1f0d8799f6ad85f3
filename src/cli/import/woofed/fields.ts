/** Reading fields that may be missing or be something else than they should. */

import type { Fields } from '../../../import/draft.ts';
import {
  isJsonObject,
  JsonText,
  LongNumber,
  mergePatch,
  parseJson,
  sourceOf,
} from '../../../json/json.ts';
import type { Foreign } from './source.ts';

type Kind = 'text' | 'plain' | 'moment' | 'labels' | 'attributes';

/**
 * @returns what reads these fields; null and what is missing are left out, as the service's
 *   defaults say them
 */
export const fieldsOf =
  (kinds: Readonly<Record<string, Kind>>) =>
  (record: Foreign): Fields =>
    Object.fromEntries(
      Object.entries(kinds).flatMap(([field, kind]) => {
        const value = record[field];
        return value === undefined || value === null ? [] : [[field, read(kind, value)]];
      }),
    );

function read(kind: Kind, value: unknown): unknown {
  switch (kind) {
    case 'text':
      return typeof value === 'number' || value instanceof LongNumber ? sourceOf(value) : value;
    case 'moment':
      return typeof value === 'string' ? inUtc(value) : value;
    case 'labels':
      return Array.isArray(value) ? value.map(labelOf) : value;
    case 'attributes':
      return isJsonObject(value) ? new JsonText(sourceOf(value)) : value;
    default:
      return value;
  }
}

/** A moment of any zone; one that names none is in UTC. */
function inUtc(text: string): string {
  const isLocal = !/(?:z|utc|gmt|[+-]\d\d:?\d\d)$/i.test(text.trim());
  const moment = new Date(isLocal ? `${text.trim().replace(' ', 'T')}Z` : text);
  return Number.isNaN(moment.getTime()) ? text : moment.toISOString();
}

const labelOf = (label: unknown) => (isJsonObject(label) ? label.name : label);

/**
 * A record's custom attributes, exactly as they came but for one key more.
 * @param key of the record's id there
 */
export function attributesWith({ custom_attributes: own, id }: Foreign, key: string): Fields {
  const attributes = typeof own === 'string' ? parsed(own) : (own ?? {});
  if (!isJsonObject(attributes)) return { custom_attributes: own };
  const merged = mergePatch(sourceOf(attributes), JSON.stringify({ [key]: id }));
  return { custom_attributes: new JsonText(merged) };
}

/** Attributes that were stored as the text of their JSON. */
function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
