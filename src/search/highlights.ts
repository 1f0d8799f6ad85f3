/** Where in the texts of a record what was typed is. */
import { fold } from './fold.ts';
import type { Words } from './search.ts';
import { nearestOf } from './similar.ts';

/** A part of a field's value, in UTF-16 units: from, and up to but not including. */
export interface Highlight {
  readonly field: string;
  readonly from: number;
  readonly to: number;
}

/**
 * @param fields in order; `contact.full_name` is a field of a record beneath
 * @returns the parts that were typed, or are like what was where none of the fields has that, in order and none over another
 */
export function highlightsIn(
  record: object,
  fields: readonly string[],
  words: Words,
): readonly Highlight[] {
  const texts = fields.map((field) => ({ field, text: new FoldedText(valueAt(record, field)) }));
  const missing = words.all.filter((word) => !texts.some(({ text }) => text.has(word)));
  return texts.flatMap(({ field, text }) => {
    const like = missing.flatMap((word) => nearestOf(word, text.words)?.word ?? []);
    const sought = [...words.numbers, ...words.all, ...like];
    return text.find(sought).map((part) => ({ field, ...part }));
  });
}

function valueAt(record: object, field: string): string {
  let value: unknown = record;
  for (const step of field.split('.')) value = Object(value)[step];
  return typeof value === 'string' ? value : '';
}

type Part = Pick<Highlight, 'from' | 'to'>;

/** A text folded letter by letter, that knows where each letter came from. */
class FoldedText {
  readonly #folded: string;
  /** Where the letter of each folded unit begins and ends in the text. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  constructor(text: string) {
    let folded = '';
    let at = 0;
    for (const letter of text) {
      const plain = fold(letter);
      const end = at + letter.length;
      for (let unit = 0; unit < plain.length; unit++) {
        this.#from.push(at);
        this.#to.push(end);
      }
      // A mark belongs to the letter before it.
      if (plain === '') this.#extend(at, end);
      folded += plain;
      at = end;
    }
    this.#folded = folded;
  }

  /** What stands between blanks. */
  get words(): readonly string[] {
    return this.#folded.split(' ').filter((word) => word !== '');
  }

  has(word: string): boolean {
    return this.#folded.includes(word);
  }

  /** All places of some texts; where two share letters, that of the longer one. */
  find(sought: readonly string[]): readonly Part[] {
    const parts: Part[] = [];
    for (const one of [...new Set(sought)].sort((a, b) => b.length - a.length)) {
      for (
        let at = this.#folded.indexOf(one);
        at >= 0;
        at = this.#folded.indexOf(one, at + one.length)
      ) {
        const from = this.#from[at] ?? 0;
        const to = this.#to[at + one.length - 1] ?? from;
        if (parts.every((part) => to <= part.from || from >= part.to)) parts.push({ from, to });
      }
    }
    return parts.sort((one, other) => one.from - other.from);
  }

  #extend(from: number, to: number): void {
    for (let unit = this.#to.length - 1; unit >= 0 && this.#to[unit] === from; unit--) {
      this.#to[unit] = to;
    }
  }
}
