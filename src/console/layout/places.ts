import type { Words } from '../words/words.ts';

/** Pages that `g` and a letter lead to. */
export const places: Readonly<
  Record<string, { readonly path: string; readonly title: (words: Words) => string }>
> = {
  h: { path: '/dashboard', title: ({ dashboard }) => dashboard.title },
  t: { path: '/today', title: ({ activities }) => activities.title },
  b: { path: '/board', title: ({ board }) => board.title },
  d: { path: '/deals', title: ({ deals }) => deals.title },
  c: { path: '/contacts', title: ({ contacts }) => contacts.title },
  p: { path: '/products', title: ({ products }) => products.title },
};
