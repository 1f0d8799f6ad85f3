/** What the search of the header offers, in the order in which it shows it. */
import type { FindQuery } from '../../../generated/console.ts';
import { isAdmin } from '../../api/who.ts';
import type { Page } from '../../page.ts';
import { words } from '../../words/words.ts';

interface Part {
  readonly from: number;
  readonly to: number;
}

export interface Item {
  readonly key: string;
  readonly title: string;
  /** The parts of the title that were typed. */
  readonly typed: readonly Part[];
  /** What tells it from others of the same name. */
  readonly context: string;
  /** Where it leads. */
  readonly href?: string;
  /** What it does instead. */
  readonly action?: 'deal' | 'contact';
}

export interface Group {
  readonly title: string;
  readonly items: readonly Item[];
}

export type FindResult = NonNullable<FindQuery['find']>;

const together = (...texts: readonly string[]) => texts.filter(Boolean).join(' · ');

/** The records that were found. */
export function recordGroups(found: FindResult): readonly Group[] {
  const { kinds } = words.value.search;
  const item = (
    href: string,
    { highlights }: { readonly highlights: readonly (Part & { readonly field: string })[] },
    [field, title]: readonly [string, string],
    context: string,
  ): Item => ({
    key: `${href} ${context}`,
    // What has no name is called by what tells it apart.
    title: title || context,
    typed: title ? highlights.filter((part) => part.field === field) : [],
    context: title ? context : '',
    href,
  });
  return [
    {
      title: kinds.contacts,
      items: (found.contacts ?? []).map((one) =>
        item(
          `/contacts/${one.id}`,
          one,
          ['full_name', one.full_name],
          together(one.email || one.phone),
        ),
      ),
    },
    {
      title: kinds.deals,
      items: (found.deals ?? []).map((one) =>
        item(
          `/deals/${one.id}`,
          one,
          ['name', one.name],
          together(one.contact.full_name, one.stage.name),
        ),
      ),
    },
    {
      title: kinds.products,
      items: (found.products ?? []).map((one) =>
        item(
          `/products?text=${encodeURIComponent(one.identifier || one.name)}`,
          one,
          ['name', one.name],
          one.identifier,
        ),
      ),
    },
    {
      title: kinds.users,
      items: (found.users ?? []).map((one) =>
        item(
          // The page of a user is for admins; everybody may see a person's deals.
          isAdmin.value ? `/users/${one.id}` : `/deals?owner=${one.id}`,
          one,
          ['full_name', one.full_name],
          one.email,
        ),
      ),
    },
  ];
}

/** Actions and pages whose names have all that was typed; all of them where nothing was. */
export function placeGroups(pages: readonly Page[], typed: string): readonly Group[] {
  const { search } = words.value;
  const wanted = plain(typed).split(' ').filter(Boolean);
  const isWanted = ({ title }: Item) => wanted.every((word) => plain(title).includes(word));
  const action = (name: 'deal' | 'contact', title: string): Item => ({
    key: name,
    title,
    typed: [],
    context: '',
    action: name,
  });
  const places = pages.flatMap(({ path, title, menu }): Item[] =>
    menu ? [{ key: path, title: title(words.value), typed: [], context: '', href: path }] : [],
  );
  return [
    {
      title: search.actions,
      items: [action('deal', search.newDeal), action('contact', search.newContact)].filter(
        isWanted,
      ),
    },
    { title: search.pages, items: places.filter(isWanted) },
  ];
}

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
