/** Making records of rows. What a value must be is the service's to say: here it only gets its form. */
import type { Row } from '../csv/read.ts';
import { cellOf, type Json } from './cells.ts';
import type { Column } from './mapping.ts';
import type { DayOrder } from './moments.ts';
import type { Kind } from './targets.ts';

/** Messages by field, as the service writes them. */
export type FieldMessages = Readonly<Record<string, readonly string[]>>;

/** What a record is made of. */
export type Fields = Readonly<Record<string, unknown>>;

/** A parent that a row names: `contact` by `email`. */
export interface ParentReference {
  readonly parent: string;
  readonly by: string;
  readonly value: string;
}

/** A record as far as its row alone says. */
export interface Draft {
  readonly row: Row;
  readonly fields: Fields;
  readonly named: readonly ParentReference[];
  readonly faults: FieldMessages;
}

/**
 * @param order of days with slashes
 * @returns what the cells become; an empty one says nothing, and so clears nothing
 */
export function draftOf(row: Row, columns: readonly Column[], json: Json, order?: DayOrder): Draft {
  const fields: Record<string, unknown> = {};
  const keys = new Map<string, [string, string][]>();
  const named: ParentReference[] = [];
  const faults: Record<string, readonly string[]> = row.fault ? { row: [row.fault] } : {};
  for (const column of columns) {
    const text = column.text ?? row.cells[column.at] ?? '';
    if (text === '') continue;
    const { name, field, kind, key, parent } = column.target;
    const cell = cellOf(kind, text, json, order);
    if ('fault' in cell) faults[name] = [cell.fault];
    else if (parent) named.push({ parent: parent.name, by: parent.by, value: String(cell.value) });
    else if (key !== undefined) keys.set(field, [...(keys.get(field) ?? []), [key, text]]);
    else fields[field] = joined(kind, fields[field], cell.value);
  }
  for (const [field, entries] of keys) fields[field] = Object.fromEntries(entries);
  return { row, fields, named, faults };
}

/** What several columns come to together, where they may be one text or one list. */
function joined(kind: Kind, before: unknown, value: unknown): unknown {
  if (before === undefined) return value;
  if (kind === 'text') return `${before} ${value}`;
  return Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
}
