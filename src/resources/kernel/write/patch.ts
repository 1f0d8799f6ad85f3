/** Updates that are sent as merge patches (RFC 7396). */

import type { UnitOfWork } from '../../../context/context.ts';
import type { Problem } from '../../../errors/codes.ts';
import { Faults } from '../../../errors/errors.ts';
import { isEmptyList, isJsonObject } from '../../../json/json.ts';
import type { Values } from '../../audit/changes.ts';
import type { Fields } from '../fields/input.ts';

type Resource = { readonly fields: Fields };

/** The fields of an update whose values are to be merged into those of the record. */
export function patchesIn({ patch }: UnitOfWork, { fields }: Resource, values: Values): string[] {
  if (!patch) return [];
  // Null asks for the default, which replaces the value rather than patch it.
  const isPatch = (value: unknown) => isJsonObject(value) || isEmptyList(value);
  return Object.keys(values).filter((name) => fields[name]?.merge && isPatch(patch[name]));
}

/**
 * The values of an update, with patches merged into what the record has. The caller must make sure that the
 * record is still as it was read when it writes them.
 * @throws {Fault} VALIDATION_FAILED for a value that has become too large
 */
export function mergedInto<S extends Values>(
  ctx: UnitOfWork,
  resource: Resource,
  before: object,
  values: S,
): S {
  const names = patchesIn(ctx, resource, values);
  if (names.length === 0) return values;
  const present: Values = { ...before };
  const faults = new Faults();
  const merged: Record<string, unknown> = {};
  for (const name of names) {
    const report = (problem: Problem) => faults.add(name, problem);
    merged[name] = resource.fields[name]?.merge?.(present[name], values[name], report);
  }
  faults.throwIfAny();
  return { ...values, ...merged };
}
