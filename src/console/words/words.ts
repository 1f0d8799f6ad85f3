/** What the console says, in the languages that a user can have. */
import { computed, signal } from '@preact/signals';
import type { en } from './en.ts';

export const languages = ['en', 'pt-BR', 'es', 'de'] as const;
export type Language = (typeof languages)[number];

/** The same shape as another, whatever it says: texts, and functions that put names and numbers in. */
type SameAs<Part> = Part extends string
  ? string
  : Part extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Part]: SameAs<Part[Key]> };

/** A catalogue: English says what there is, and no other language may lack any of it. */
export type Words = SameAs<typeof en>;

const catalogues: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => (await import('./en.ts')).en,
  'pt-BR': async () => (await import('./pt-BR.ts')).ptBR,
  es: async () => (await import('./es.ts')).es,
  de: async () => (await import('./de.ts')).de,
};

const loaded = signal<Words | undefined>(undefined);

export const language = signal<Language>('en');

/** The catalogue in use. @throws before `speak` has loaded one */
export const words = computed((): Words => {
  if (!loaded.value) throw new Error('no language was loaded');
  return loaded.value;
});

/** Says everything in a language from now on. */
export async function speak(wanted: Language): Promise<void> {
  const catalogue = await catalogues[wanted]();
  loaded.value = catalogue;
  language.value = wanted;
  document.documentElement.lang = wanted;
}

const base = (tag: string): string => tag.split('-', 1)[0] ?? tag;

/** Of the console's languages, the one that a person wants, by language tags in order of preference. */
export function languageFor(tags: readonly string[]): Language {
  for (const tag of tags) {
    const found = languages.find((known) => base(known) === base(tag));
    if (found) return found;
  }
  return 'en';
}
