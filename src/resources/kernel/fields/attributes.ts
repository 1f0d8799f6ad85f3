import { unstorable } from '../../../db/sql/storable.ts';
import { coded } from '../../../errors/codes.ts';
import { isEmptyList, isJsonObject, mergePatch, sourceOf } from '../../../json/json.ts';
import type { Field } from './input.ts';

const maxBytes = 64 * 1024;
const tooLarge = coded('too_large', `is too large (maximum is ${maxBytes} bytes)`);
const isTooLarge = (text: string): boolean => Buffer.byteLength(text) > maxBytes;

/**
 * A free-form object, as the JSON text that was sent. Of a repeated key the last value is kept, in
 * the place of the first. An empty list is an empty object.
 */
export const attributes: Field<string> = {
  cleared: { value: '{}' },
  read(value, report) {
    if (isEmptyList(value)) return '{}';
    if (!isJsonObject(value)) return void report('must be an object');
    const source = sourceOf(value);
    if (isTooLarge(source)) return void report(tooLarge);
    // Only an escape can smuggle in what the database cannot store. The check parses the very text
    // that is stored, rather than trust a value that should equal it.
    if (/\\u(0000|d[89a-f])/i.test(source) && !isStorableJson(JSON.parse(source))) {
      return void report('has characters that cannot be stored');
    }
    return source;
  },
  merge(before, patch, report) {
    const merged = mergePatch(before, patch);
    return isTooLarge(merged) ? void report(tooLarge) : merged;
  },
};

function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return unstorable(value) === undefined;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([key, inner]) => unstorable(key) === undefined && isStorableJson(inner),
  );
}
