/** Places in the feed as clients hold them: opaque texts such as `Y3…`. */

/** Where an entry is: by its order, and among those of the same order by its id. */
export interface Place {
  readonly order: number;
  readonly id: number;
}

export interface Cursor extends Place {
  /** Of the database that made it. */
  readonly incarnation: string;
  /** Entries after this place that the holder of the cursor knows already, in their order. */
  readonly seen: readonly Place[];
}

/** Before everything that is kept. */
export const beginning: Place = { order: 0, id: 0 };

/** Numbers are written to this base. */
const base = 36;

/** @returns base64url of the database's incarnation and the numbers of all places, divided by dots */
export function writeCursor({ incarnation, order, id, seen }: Cursor): string {
  let text = incarnation + placeText({ order, id });
  for (const place of seen) text += placeText(place);
  return Buffer.from(text, 'latin1').toString('base64url');
}

const placeText = ({ order, id }: Place): string => `.${order.toString(base)}.${id.toString(base)}`;

const form = /^([\da-f]{12})\.((?:[\da-z]{1,11}\.[\da-z]{1,11}\.?)+)$/;

/** @returns undefined for a text that `writeCursor` does not write */
export function readCursor(text: string): Cursor | undefined {
  const [, incarnation = '', numbers = ''] =
    form.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const places: Place[] = [];
  const read = numbers.split('.').map((number) => Number.parseInt(number, base));
  for (let at = 0; at + 1 < read.length; at += 2) {
    places.push({ order: read[at] ?? 0, id: read[at + 1] ?? 0 });
  }
  const [place, ...seen] = places;
  if (!place) return undefined;
  const cursor = { incarnation, ...place, seen };
  // Base64 decodes leniently: another text may give the same bytes.
  return writeCursor(cursor) === text ? cursor : undefined;
}

/** The cursor as of a later place, without what lies before that. */
export const movedTo = (place: Place, { incarnation, seen }: Cursor): Cursor => ({
  incarnation,
  order: place.order,
  id: place.id,
  seen: seen.length === 0 ? seen : seen.filter((each) => isBehind(each, place)),
});

const isBehind = (one: Place, other: Place): boolean =>
  one.order > other.order || (one.order === other.order && one.id > other.id);
