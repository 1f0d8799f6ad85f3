/** Texts of GraphQL documents. */

/** A text for each number from 0, with blanks between. */
export const repeat = (times: number, text: (n: number) => string) =>
  Array.from({ length: times }, (_, n) => text(n)).join(' ');

/** A selection of a contact that is nested `levels` deep, through its deals and back. */
export const nested = (levels: number): string => {
  const [one, other] =
    levels % 2 === 0 ? ['contact', 'deals(limit: 1)'] : ['deals(limit: 1)', 'contact'];
  let text = 'id';
  for (let level = 1; level < levels; level++) {
    text = `${level % 2 === 0 ? one : other} { ${text} }`;
  }
  return text;
};
