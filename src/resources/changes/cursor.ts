/** Places in the feed as clients hold them: opaque texts such as `Y3…`. */

/** Where an entry is: by its order, and among those of the same order by its id. */
export interface FeedPosition {
  readonly order: number;
  readonly id: number;
}

export interface Cursor extends FeedPosition {
  /** Of the database that made it. */
  readonly incarnation: string;
  /** Entries after this place that the holder of the cursor knows already, in their order. */
  readonly seen: readonly FeedPosition[];
}

/** Before everything that is kept. */
export const beginning: FeedPosition = { order: 0, id: 0 };

/** Numbers are written to this base. */
const base = 36;

/** @returns base64url of the database's incarnation and the numbers of all places, divided by dots */
export function writeCursor({ incarnation, order, id, seen }: Cursor): string {
  let text = incarnation + placeText({ order, id });
  for (const place of seen) text += placeText(place);
  return Buffer.from(text, 'latin1').toString('base64url');
}

const placeText = ({ order, id }: FeedPosition): string =>
  `.${order.toString(base)}.${id.toString(base)}`;

/**
 * Changes that a cursor can name one by one. There are as many where a transaction goes on for long while
 * others write.
 */
export const maxSeen = 400;

const incarnationForm = /^[\da-f]{12}$/;

/** Characters of the longest cursor that `writeCursor` writes: 11 digits and a dot for each number. */
const longest = Math.ceil((12 + 12 * 2 * (1 + maxSeen)) * (4 / 3));

/** @returns undefined for a text that `writeCursor` does not write */
export function readCursor(text: string): Cursor | undefined {
  if (text.length > longest) return undefined;
  const [incarnation = '', ...numbers] = Buffer.from(text, 'base64url').toString().split('.');
  if (!incarnationForm.test(incarnation)) return undefined;
  const places: FeedPosition[] = [];
  for (let at = 0; at < numbers.length; at += 2) {
    places.push({ order: readNumber(numbers[at]), id: readNumber(numbers[at + 1]) });
  }
  const [place, ...seen] = places;
  if (!place) return undefined;
  const cursor = { incarnation, ...place, seen };
  // Whatever was not a number, or is not written as one, gives another text; so do bytes that base64 ignores.
  return writeCursor(cursor) === text ? cursor : undefined;
}

function readNumber(text = ''): number {
  const number = Number.parseInt(text, base);
  return Number.isSafeInteger(number) && number >= 0 ? number : Number.NaN;
}

/** The cursor as of a later place, without what lies before that. */
export const movedTo = (place: FeedPosition, { incarnation, seen }: Cursor): Cursor => ({
  incarnation,
  order: place.order,
  id: place.id,
  seen: seen.length === 0 ? seen : seen.filter((each) => isBehind(each, place)),
});

const isBehind = (one: FeedPosition, other: FeedPosition): boolean =>
  one.order > other.order || (one.order === other.order && one.id > other.id);
