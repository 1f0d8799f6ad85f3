/**
 * Parameterised SQL, composed of tagged templates; values never enter the text. The service composes
 * the same few hundred texts again and again, each of kilobytes and of dozens of pieces. So a text is
 * written once: pieces are known by the texts of their templates, which are the same list each time,
 * and lead, one after the other, to what was written when they first came in this order.
 */
import { LRUCache } from 'lru-cache';

/** A statement as it is sent: values are `$1` and so on in its text. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Stands for the account in SQL that is composed once for all of them. */
export const accountParameter = Symbol('account');

/** An account's id, or what stands for it until {@link ofAccount} puts it there. */
export type AccountId = number | typeof accountParameter;

/** A text alone, or the texts of a template, between which its parts stand. */
type Texts = string | readonly string[];

/** A piece of SQL; its parts are values, or pieces again. */
export class Sql implements Statement {
  readonly #texts: Texts;
  readonly #parts: readonly unknown[];
  readonly #account: AccountId;
  #values: unknown[] | undefined;
  #text = '';

  /** @param account whose id is the value where the SQL has {@link accountParameter} */
  constructor(texts: Texts, parts: readonly unknown[], account: AccountId = accountParameter) {
    this.#texts = texts;
    this.#parts = parts;
    this.#account = account;
  }

  get text(): string {
    this.#compose();
    return this.#text;
  }

  get values(): readonly unknown[] {
    return this.#compose();
  }

  /** The same SQL in one piece, for what is kept and used again and again. */
  inOnePiece(): Sql {
    const texts = [''];
    const parts: unknown[] = [];
    this.#gather(texts, parts, this.#account);
    return new Sql(sameTexts(texts), parts, this.#account);
  }

  #gather(texts: string[], parts: unknown[], account: AccountId): void {
    const own = this.#account === accountParameter ? account : this.#account;
    const [first = '', ...others] = typeof this.#texts === 'string' ? [this.#texts] : this.#texts;
    const add = (text: string) => texts.push((texts.pop() ?? '') + text);
    add(first);
    others.forEach((text, at) => {
      const part = this.#parts[at];
      if (part instanceof Sql) part.#gather(texts, parts, own);
      else {
        parts.push(part === accountParameter ? own : part);
        texts.push('');
      }
      add(text);
    });
  }

  #compose(): readonly unknown[] {
    if (this.#values) return this.#values;
    const values: unknown[] = [];
    const form = this.#follow(forms.first, values, this.#account);
    form.text ??= forms.keep(this.#write('', { count: 0 }));
    this.#text = form.text;
    this.#values = values;
    return values;
  }

  /** @param values receives those of the piece, behind what precedes them in the statement */
  #follow(from: Form, values: unknown[], account: AccountId): Form {
    let form = nextOf(from, this.#texts, values.length);
    const own = this.#account === accountParameter ? account : this.#account;
    for (const part of this.#parts) {
      if (part instanceof Sql) form = part.#follow(form, values, own);
      else values.push(part === accountParameter ? own : part);
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
const maxCharacters = 16 * 1024 * 1024;

class Forms {
  first: Form = { texts: '', after: 0, next: [] };
  #characters = 0;

  keep(text: string): string {
    this.#characters += text.length;
    if (this.#characters > maxCharacters) {
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

/** The texts around `count` parts, as the same list each time. */
function separated(separator: string, count: number): readonly string[] {
  let known = lists.get(separator);
  if (!known) {
    known = [];
    lists.set(separator, known);
  }
  known[count] ??= ['', ...Array<string>(count - 1).fill(separator), ''];
  return known[count];
}

/** Lists of the texts of pieces, by what is in them. */
const textLists = new LRUCache<string, readonly string[]>({
  max: 1000,
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: (_, id) => id.length,
});

/** A list like another that is the same each time, so that what only looks alike is not written anew. */
function sameTexts(texts: readonly string[]): readonly string[] {
  const id = JSON.stringify(texts);
  const same = textLists.get(id) ?? texts;
  textLists.set(id, same);
  return same;
}

const alone = ['', ''];

/** The SQL with an account's id in the place of {@link accountParameter}. */
export const ofAccount = (composed: Sql, account: AccountId): Sql =>
  account === accountParameter ? composed : new Sql(alone, [composed], account);

/**
 * A statement for any account: its first value is to be the account, however often it stands there,
 * and those of the SQL follow.
 */
export function forAnyAccount({ text, values }: Sql): Statement {
  const places = new Map<number, number>();
  const others = values.filter((value, at) => {
    if (value !== accountParameter) places.set(at + 1, places.size + 2);
    return value !== accountParameter;
  });
  const renumbered = text.replace(/\$(\d+)/g, (_, place) => `$${places.get(Number(place)) ?? 1}`);
  return { text: renumbered, values: others };
}

/** Names by their identifiers, of which there are few. */
const names = new LRUCache<string, Sql>({ max: 2000 });

/** An identifier, quoted. */
export function name(identifier: string): Sql {
  let known = names.get(identifier);
  if (!known) {
    known = raw(`"${identifier.replaceAll('"', '""')}"`);
    names.set(identifier, known);
  }
  return known;
}

/** An id that no record has, for where there is none: Citus cannot plan a comparison with NULL. */
export const noId = 0;
