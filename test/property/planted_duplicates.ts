/** Contacts of a large account, and some of them a second time, written as people do. */
import { Random } from '../fuzz/random.ts';

/** A contact as it is stored. */
export interface Row {
  readonly full_name: string;
  readonly email: string;
  readonly phone: string;
  readonly custom_attributes: Readonly<Record<string, unknown>>;
}

interface Person extends Row {
  readonly first: string;
  readonly last: string;
  readonly local: string;
  readonly domain: string;
}

const consonants = [...'bcdfghjklmnprstvz'];
const vowels = [...'aeiou'];
const accents: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'ê',
  i: 'í',
  o: 'õ',
  u: 'ü',
  c: 'ç',
};
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Ways in which one person comes to be two contacts. */
export const kinds = [
  'same name and phone end',
  'accents and case',
  'reversed name',
  'dots of the address',
  'plus tag',
  'phone without its country',
  'address in another field',
  'misspelt name at the same domain',
  'misspelt name with the same phone end',
  'same name, nothing else',
] as const;
type Kind = (typeof kinds)[number];

export class People {
  readonly #random: Random;
  readonly #firsts: readonly string[];
  readonly #lasts: readonly string[];
  #count = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#firsts = Array.from({ length: 2000 }, () => this.#word(this.#random.between(2, 3)));
    this.#lasts = Array.from({ length: 20_000 }, () => this.#word(this.#random.between(3, 4)));
  }

  #word(syllables: number): string {
    const parts = Array.from(
      { length: syllables },
      () => this.#random.pick(consonants) + this.#random.pick(vowels),
    );
    return parts.join('') + (this.#random.chance(0.3) ? this.#random.pick(consonants) : '');
  }

  #address(first: string, last: string) {
    const random = this.#random;
    const isFree = random.chance(0.5);
    const domain = isFree
      ? random.pick(['gmail.com', 'hotmail.com', 'yahoo.com.br'])
      : `firm${random.below(1000)}.com`;
    const number = isFree ? String(this.#count) : '';
    const forms = [`${first}.${last}`, `${first.charAt(0)}${last}`, `${last}.${first.charAt(0)}`];
    return { local: `${random.pick(forms)}${number}`, domain };
  }

  #phone(): string {
    return `+55${this.#random.between(11, 99)}9${this.#random.between(10_000_000, 99_999_999)}`;
  }

  person(): Person {
    this.#count += 1;
    const [first, last] = [this.#random.pick(this.#firsts), this.#random.pick(this.#lasts)];
    const { local, domain } = this.#address(first, last);
    return {
      ...{ first, last, local, domain },
      full_name: `${capital(first)} ${capital(last)}`,
      email: this.#random.chance(0.9) ? `${local}@${domain}` : '',
      phone: this.#random.chance(0.8) ? this.#phone() : '',
      custom_attributes: { city: `City ${this.#random.below(200)}` },
    };
  }

  /** A person, and the same one once more. */
  twice(kind: Kind): readonly [Row, Row] {
    const one = { ...this.person(), phone: this.#phone() };
    const { local, domain, first, last, full_name } = one;
    const email = `${local}@${domain}`;
    const blank = { full_name, email: '', phone: '', custom_attributes: {} };
    const atGmail = { ...one, domain: 'gmail.com', local: `${first}.${last}${this.#count}` };
    const gmail = { ...atGmail, email: `${atGmail.local}@gmail.com` };
    const other = { ...blank, email: `${last}${this.#count}@other${this.#random.below(5000)}.com` };
    const end = one.phone.slice(-8);
    switch (kind) {
      case 'same name and phone end':
        return [
          { ...one, email },
          { ...other, phone: `(0${this.#random.between(11, 99)}) ${end}` },
        ];
      case 'accents and case':
        return [
          { ...one, email },
          { ...other, full_name: this.#accented(full_name), phone: end },
        ];
      case 'reversed name':
        return [
          { ...one, email: `${local}@firm.example` },
          {
            ...blank,
            full_name: `${capital(last)}, ${capital(first)}`,
            email: `x${this.#count}@firm.example`,
          },
        ];
      case 'dots of the address':
        return [
          gmail,
          { ...blank, full_name: capital(first), email: gmail.email.replace('.', '') },
        ];
      case 'plus tag':
        return [
          { ...one, email },
          { ...blank, email: `${local}+news@${domain}` },
        ];
      case 'phone without its country':
        return [one, { ...blank, full_name: capital(first), phone: one.phone.slice(3) }];
      case 'address in another field':
        return [
          { ...one, email },
          { ...blank, phone: this.#phone(), custom_attributes: { email_2: email } },
        ];
      case 'misspelt name at the same domain': {
        const at = `@firm${this.#random.below(1000)}.com`;
        const wrong = `${capital(first)} ${capital(this.#misspelt(last))}`;
        return [
          { ...one, email: `${local}${at}` },
          { ...blank, full_name: wrong, email: `office${this.#count}${at}` },
        ];
      }
      case 'misspelt name with the same phone end':
        return [
          one,
          {
            ...other,
            full_name: `${capital(first)} ${capital(this.#misspelt(last))}`,
            phone: `0${end}`,
          },
        ];
      case 'same name, nothing else': {
        const rare = `${capital(this.#word(4))} ${capital(this.#word(5))}`;
        return [
          { ...one, full_name: rare },
          { ...other, full_name: rare, phone: this.#phone() },
        ];
      }
    }
  }

  #accented(name: string): string {
    const written = [...name].map((letter) => accents[letter.toLowerCase()] ?? letter).join('');
    return this.#random.chance(0.5) ? written.toUpperCase() : written.toLowerCase();
  }

  /** With a letter left out, doubled, exchanged with the next or replaced. */
  #misspelt(word: string): string {
    const at = this.#random.below(word.length - 1);
    const [before, letter, behind] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
    const wrong = this.#random.among<string>([
      [1, () => before + behind],
      [1, () => before + letter + letter + behind],
      [1, () => before + behind.charAt(0) + letter + behind.slice(1)],
      [1, () => `${before}${letter === 'x' ? 'w' : 'x'}${behind}`],
    ]);
    return wrong === word ? `${word}x` : wrong;
  }
}
