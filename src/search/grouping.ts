/** What records may be grouped by: the attributes that a search may name, and moments by their periods. */
import type { ShapeName, Shapes } from '../db/sql/shape.ts';
import { coded, type Problem } from '../errors/codes.ts';
import { didYouMean } from '../errors/did_you_mean.ts';
import type { Faults } from '../errors/errors.ts';
import { findAttribute, notSearchable } from './attributes.ts';
import type { Attribute } from './search.ts';
import { attributeMeant } from './suggest.ts';
import { Unreadable } from './values.ts';

/** Periods: how long they are, and how PostgreSQL writes one for people. */
export const units = {
  day: { length: '1 day', format: 'YYYY-MM-DD' },
  week: { length: '1 week', format: 'IYYY-"W"IW' },
  month: { length: '1 month', format: 'YYYY-MM' },
  quarter: { length: '3 months', format: 'YYYY-"Q"Q' },
  year: { length: '1 year', format: 'YYYY' },
} as const;

export type Unit = keyof typeof units;

const isUnit = (text: string): text is Unit => Object.hasOwn(units, text);

export interface GroupingName {
  readonly attribute: Attribute;
  /** Of a moment, the periods that it is counted in. */
  readonly unit: Unit | undefined;
}

/** Reads `stage_name` or `created_at.month`. */
export function readGrouping(
  sent: string,
  shape: ShapeName,
  shapes: Shapes,
): GroupingName | Unreadable {
  const dot = sent.lastIndexOf('.');
  const [before, after] = dot < 0 ? [sent, ''] : [sent.slice(0, dot), sent.slice(dot + 1)];
  const moment = findAttribute(before, shape, shapes);
  if (!(moment instanceof Unreadable) && moment.kind === 'timestamp') {
    if (isUnit(after)) return { attribute: moment, unit: after };
    const names = Object.keys(units);
    const meant = didYouMean(after, names) || `, such as ${before}.month`;
    const message =
      after === '' ? `is a moment, and needs a period` : `has no such period (${names.join(', ')})`;
    return new Unreadable(`"${sent}" ${message}${meant}`);
  }
  const attribute = readAttribute(sent, shape, shapes, isUnit(after) ? before : sent);
  return attribute instanceof Unreadable ? attribute : { attribute, unit: undefined };
}

/**
 * Reads the name of an attribute.
 * @param asked what is looked for among the known names where it is none of them
 */
export function readAttribute(
  sent: string,
  shape: ShapeName,
  shapes: Shapes,
  asked = sent,
): Attribute | Unreadable {
  const found = findAttribute(sent, shape, shapes);
  if (!(found instanceof Unreadable)) return found;
  const meant = found.message === notSearchable ? attributeMeant(asked, shape, shapes) : '';
  return new Unreadable(`"${sent}" ${found.message}${meant}`, found.code);
}

/** A name that a summary groups by, as it was sent. */
export interface ByName extends GroupingName {
  readonly name: string;
}

const maxNames = 4;

/** What is wrong with a name, for the faults. */
export const problemOf = ({ code, message }: Unreadable): Problem => coded(code, message);

/** Reads up to four names, and adds what is wrong with them to the faults. */
export function readBy(
  names: readonly string[],
  of: ShapeName,
  shapes: Shapes,
  faults: Faults,
): readonly ByName[] {
  if (names.length > maxNames) {
    faults.add('by', coded('too_many', `has more than ${maxNames} names`));
    return [];
  }
  return names.flatMap((name, at) => {
    const read = readGrouping(name, of, shapes);
    if (read instanceof Unreadable) faults.add('by', problemOf(read));
    else if (names.indexOf(name) < at) faults.add('by', `has "${name}" twice`);
    else return [{ ...read, name }];
    return [];
  });
}

/** Reads which moment the days refer to: that of `on`, else of a period, else the creation. */
export function readOn(
  sent: unknown,
  by: readonly ByName[],
  of: ShapeName,
  shapes: Shapes,
  faults: Faults,
): Attribute {
  const usual = by.find(({ unit }) => unit)?.attribute ?? createdAt;
  if (sent === undefined || sent === null) return usual;
  const read = typeof sent === 'string' ? readAttribute(sent, of, shapes) : undefined;
  if (read instanceof Unreadable) faults.add('on', problemOf(read));
  else if (read?.kind !== 'timestamp') faults.add('on', 'must be a moment, such as created_at');
  else return read;
  return usual;
}

const createdAt: Attribute = { path: [], column: 'created_at', kind: 'timestamp' };
