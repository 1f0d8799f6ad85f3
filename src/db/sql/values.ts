/** How values pass between the service and PostgreSQL. */
import pg from 'pg';

const { builtins } = pg.types;

/** Types of lists, for which the driver has no names. */
const listOf = { int8: 1016, timestamptz: 1185 } as const;

export type Parse = (text: string) => unknown;

/** PostgreSQL's bigint as a number. */
function safeInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`The database returned ${text}, beyond 2^53-1`);
}

const same: Parse = (text) => text;

/** `2026-03-01 10:00:00.123+00` as in JSON: `2026-03-01T10:00:00.123+00:00`. */
const moment: Parse = (text) =>
  text[10] === ' ' && text.endsWith('+00')
    ? `${text.slice(0, 10)}T${text.slice(11)}:00`
    : text.replace(' ', 'T').replace(/[+-]\d{2}(:\d{2})?$/, '+00:00');

const each =
  (oid: number, parse: (text: string) => unknown): Parse =>
  (text) => {
    const list: (string | null)[] = pg.types.getTypeParser(oid)(text);
    return list.map((item) => (item === null ? null : parse(item)));
  };

const texts = 1009;

const parsers: Readonly<Record<number, Parse>> = {
  [builtins.INT8]: safeInteger,
  [listOf.int8]: each(texts, safeInteger),
  [builtins.NUMERIC]: same,
  [builtins.JSON]: same,
  [builtins.JSONB]: same,
  [builtins.TIMESTAMPTZ]: moment,
  [listOf.timestamptz]: each(texts, moment),
};

/** How the driver reads the columns of a result. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : parsers[oid]) ?? pg.types.getTypeParser(oid, format),
};

/** A parameter as PostgreSQL reads it; the driver would write a Date in the time zone of this machine. */
export function parameter(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? `{${value.map(element).join(',')}}` : String(value);
}

const special = /["\\]/;

function element(value: unknown): string {
  const text = parameter(value);
  if (text === null) return 'NULL';
  return special.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
}
