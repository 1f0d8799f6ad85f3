/** Where the service's own files lie, whatever part of it asks. */

// The innermost folder of either name: the checkout may itself lie in one.
const [own = ''] = /^.*\/(?:src|dist)\//.exec(import.meta.url) ?? [];

/** `src/` or, once it is built, `dist/`: both hold what the program reads at run time, under the same names. */
export const programDirectory = new URL(own);

/** What holds `package.json`, `schema.graphql` and `prisma/`. */
export const packageDirectory = new URL('../', programDirectory);
