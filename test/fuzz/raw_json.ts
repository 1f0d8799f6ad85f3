/** JSON in pieces of text, so that what no `JSON.stringify` would write can be written. */

/** A text as it stands, an object with its keys in quotes, or a list. */
export type Raw = string | RawObject | RawList;

export interface RawObject {
  readonly entries: [key: string, value: Raw][];
}

export interface RawList {
  readonly items: Raw[];
}

export const rawObject = (fields: Readonly<Record<string, Raw>>): RawObject => ({
  entries: Object.entries(fields).map(([key, value]) => [JSON.stringify(key), value]),
});

/** The pieces of a value. */
export function rawOf(value: unknown): Raw {
  if (Array.isArray(value)) return { items: value.map(rawOf) };
  if (typeof value === 'object' && value !== null) {
    return {
      entries: Object.entries(value).map(([key, inner]) => [JSON.stringify(key), rawOf(inner)]),
    };
  }
  return JSON.stringify(value ?? null);
}

export function writeRaw(raw: Raw): string {
  if (typeof raw === 'string') return raw;
  if ('items' in raw) return `[${raw.items.map(writeRaw).join(',')}]`;
  return `{${raw.entries.map(([key, value]) => `${key}:${writeRaw(value)}`).join(',')}}`;
}

/** Where a value stands, and how another takes its place. */
export interface Place {
  readonly value: Raw;
  /** Of an entry of an object, as it stands. */
  readonly key: string | undefined;
  readonly set: (value: Raw) => void;
}

/** Every place within a value, those that hold others before them. */
export function placesIn(raw: Raw): Place[] {
  if (typeof raw === 'string') return [];
  const own: Place[] =
    'items' in raw
      ? raw.items.map((value, at) => ({
          value,
          key: undefined,
          set: (next) => void (raw.items[at] = next),
        }))
      : raw.entries.map((entry) => ({
          value: entry[1],
          key: entry[0],
          set: (next) => void (entry[1] = next),
        }));
  return own.flatMap((place) => [place, ...placesIn(place.value)]);
}

/** Every object within a value, itself among them. */
export const objectsIn = (raw: Raw): RawObject[] =>
  [raw, ...placesIn(raw).map(({ value }) => value)].filter(
    (value): value is RawObject => typeof value !== 'string' && 'entries' in value,
  );
