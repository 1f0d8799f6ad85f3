/**
 * Parameterised SQL, composed of tagged templates; values never enter the text. The service composes
 * the same few hundred texts again and again, each of kilobytes and of dozens of pieces. So a text is
 * written once: pieces are known by the texts of their templates, which are the same list each time,
 * and lead, one after the other, to what was written when they first came in this order.
 */

/** A statement as it is sent: values are `$1` and so on in its text. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A text alone, or the texts of a template, between which its parts stand. */
type Texts = string | readonly string[];

/** A piece of SQL; its parts are values, or pieces again. */
export class Sql implements Statement {
  readonly #texts: Texts;
  readonly #parts: readonly unknown[];
  #values: unknown[] | undefined;
  #text = '';

  constructor(texts: Texts, parts: readonly unknown[]) {
    this.#texts = texts;
    this.#parts = parts;
  }

  get text(): string {
    this.#compose();
    return this.#text;
  }

  get values(): readonly unknown[] {
    return this.#compose();
  }

  #compose(): readonly unknown[] {
    if (this.#values) return this.#values;
    const values: unknown[] = [];
    const form = this.#follow(forms.first, values);
    form.text ??= forms.keep(this.#write('', { count: 0 }));
    this.#text = form.text;
    this.#values = values;
    return values;
  }

  /** @param values receives those of the piece, behind what precedes them in the statement */
  #follow(from: Form, values: unknown[]): Form {
    let form = nextOf(from, this.#texts, values.length);
    for (const part of this.#parts) {
      if (part instanceof Sql) form = part.#follow(form, values);
      else values.push(part);
    }
    return form;
  }

  #write(before: string, values: { count: number }): string {
    if (typeof this.#texts === 'string') return before + this.#texts;
    let text = before + this.#texts[0];
    this.#parts.forEach((part, at) => {
      text = part instanceof Sql ? part.#write(text, values) : `${text}$${++values.count}`;
      text += this.#texts[at + 1];
    });
    return text;
  }
}

/** How a statement begins: which pieces, in order, each after how many values. No other is alike. */
interface Form {
  readonly texts: Texts;
  readonly after: number;
  readonly next: Form[];
  /** Of the statement that ends here. */
  text?: string;
}

function nextOf({ next }: Form, texts: Texts, after: number): Form {
  for (const form of next) if (form.texts === texts && form.after === after) return form;
  const form: Form = { texts, after, next: [] };
  next.push(form);
  return form;
}

/** Characters of texts that are kept: clients shape searches, so that there may be any number. */
const mostCharacters = 16 * 1024 * 1024;

class Forms {
  first: Form = { texts: '', after: 0, next: [] };
  #characters = 0;

  keep(text: string): string {
    this.#characters += text.length;
    if (this.#characters > mostCharacters) {
      this.#characters = 0;
      this.first = { texts: '', after: 0, next: [] };
    }
    return text;
  }
}

const forms = new Forms();

/** Composes SQL: each part is a value, or a piece of SQL. */
export const sql = (texts: TemplateStringsArray, ...parts: readonly unknown[]): Sql =>
  new Sql(texts, parts);

/** A text that the code wrote (never a client). */
export const raw = (text: string): Sql => new Sql(text, []);

export const empty = raw('');

/**
 * Parts, one after the other.
 * @param separator between each two
 * @throws {TypeError} when there are none
 */
export function join(parts: readonly unknown[], separator = ','): Sql {
  if (parts.length === 0) throw new TypeError('there is nothing to join');
  return new Sql(separated(separator, parts.length), parts);
}

const lists = new Map<string, (readonly string[])[]>();

/** The texts between so many parts, as the same list each time. */
function separated(separator: string, count: number): readonly string[] {
  let known = lists.get(separator);
  if (!known) {
    known = [];
    lists.set(separator, known);
  }
  known[count] ??= ['', ...Array<string>(count - 1).fill(separator), ''];
  return known[count];
}

/** An identifier that the code chose (never a client): quoted all the same. */
export const name = (identifier: string): Sql => raw(`"${identifier.replaceAll('"', '""')}"`);
