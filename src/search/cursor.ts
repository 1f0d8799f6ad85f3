/** Places in the order of a search, as clients carry them: `Wz…`, which says nothing to them. */
import { createHash } from 'node:crypto';
import type { ColumnKind } from '../db/sql/shape.ts';
import { unstorable } from '../db/sql/storable.ts';
import type { SortKey } from './order.ts';
import type { Value } from './predicate.ts';

/** A text that is too long to be carried: its record has it, as long as the text has this digest. */
export class Digest {
  readonly sha256: string;

  constructor(sha256: string) {
    this.sha256 = sha256;
  }
}

/** Where a record stands. */
export interface Place {
  /** What the order goes by, the id last, as the record had it. */
  readonly values: readonly (Value | Digest | null)[];
  /** How many records came up to it, itself included. */
  readonly before: number;
}

/** Characters of a text that are carried; a header has room for eight such texts. */
const mostCarried = 255;

/** @param values of the record, as JSON has them */
export function writePlace(
  order: readonly SortKey[],
  values: readonly unknown[],
  before: number,
): string {
  const carried = values.map((value) =>
    typeof value === 'string' && value.length > mostCarried ? { sha256: digestOf(value) } : value,
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

/** @returns undefined for anything that is not a place in this order */
export function readPlace(order: readonly SortKey[], sent: unknown): Place | undefined {
  const parsed = typeof sent === 'string' ? parse(sent) : undefined;
  if (!Array.isArray(parsed) || parsed.length !== order.length + 2) return undefined;
  const [signature, before, ...carried]: readonly unknown[] = parsed;
  if (signature !== signatureOf(order)) return undefined;
  if (!Number.isSafeInteger(before) || Number(before) < 0) return undefined;
  const values: Place['values'][number][] = [];
  for (const [at, { kind }] of order.entries()) {
    const value = readValue(carried[at], kind);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values.at(-1) === null ? undefined : { values, before: Number(before) };
}

/** Characters of a place; one that {@link writePlace} writes fits into a header of 16 KiB. */
const longest = 16 * 1024;

function parse(text: string): unknown {
  if (text.length > longest) return undefined;
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
