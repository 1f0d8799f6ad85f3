/** Cursors into the order of a search; clients treat the text (`Wz…`) as opaque. */
import { createHash } from 'node:crypto';
import type { ColumnKind } from '../db/sql/shape.ts';
import { unstorable } from '../db/sql/storable.ts';
import type { SortKey } from './order.ts';
import type { Value } from './predicate.ts';

/** Stands for a text too long for a cursor: the record is looked up, and its text must still have this digest. */
export class Digest {
  readonly sha256: string;

  constructor(sha256: string) {
    this.sha256 = sha256;
  }
}

/** The position of a record in the order. */
export interface Cursor {
  /** What the order goes by, the id last, as the record had it. */
  readonly values: readonly (Value | Digest | null)[];
  /** How many records came up to it, itself included. */
  readonly before: number;
}

/** Longer texts are replaced by their digest; a header has room for eight texts of this many characters. */
const maxCarried = 255;

/** @param values of the record, as JSON has them */
export function writePageCursor(
  order: readonly SortKey[],
  values: readonly unknown[],
  before: number,
): string {
  const carried = values.map((value) =>
    typeof value === 'string' && value.length > maxCarried ? { sha256: digestOf(value) } : value,
  );
  return Buffer.from(JSON.stringify([signatureOf(order), before, ...carried])).toString(
    'base64url',
  );
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const signatureOf = (order: readonly SortKey[]): string =>
  order
    .map(({ path, column, descending }) => [...path, column].join('.') + (descending ? '-' : '+'))
    .join('');

/** @returns undefined for anything that is not a cursor into this order */
export function readPageCursor(order: readonly SortKey[], sent: unknown): Cursor | undefined {
  const parsed = typeof sent === 'string' ? parse(sent) : undefined;
  if (!Array.isArray(parsed) || parsed.length !== order.length + 2) return undefined;
  const [signature, before, ...carried]: readonly unknown[] = parsed;
  if (signature !== signatureOf(order)) return undefined;
  if (!Number.isSafeInteger(before) || Number(before) < 0) return undefined;
  const values: Cursor['values'][number][] = [];
  for (const [at, { kind }] of order.entries()) {
    const value = readValue(carried[at], kind);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values.at(-1) === null ? undefined : { values, before: Number(before) };
}

/** Characters of a cursor; one that {@link writePageCursor} writes fits into a header of 16 KiB. */
const maxCharacters = 16 * 1024;

function parse(text: string): unknown {
  if (text.length > maxCharacters) return undefined;
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function readValue(
  value: unknown,
  kind: ColumnKind | undefined,
): Value | Digest | null | undefined {
  if (value === null) return null;
  switch (kind) {
    case 'text':
      if (typeof value === 'string') return unstorable(value) === undefined ? value : undefined;
      return readDigest(value);
    case 'timestamp':
      return typeof value === 'string' ? readMoment(value) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case undefined:
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    default:
      return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
  }
}

const moment = /^(?!0000)(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,6})?\+00:00$/;

/** A moment as PostgreSQL writes it in JSON. A record may hold more of them than a search can name. */
function readMoment(text: string): string | undefined {
  const [, seconds] = moment.exec(text) ?? [];
  const at = new Date(`${seconds}Z`);
  const exists = !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19) === seconds;
  return exists ? text : undefined;
}

function readDigest(value: unknown): Digest | undefined {
  if (typeof value !== 'object' || value === null || !('sha256' in value)) return undefined;
  const { sha256 } = value;
  return typeof sha256 === 'string' && /^[\da-f]{64}$/.test(sha256)
    ? new Digest(sha256)
    : undefined;
}
