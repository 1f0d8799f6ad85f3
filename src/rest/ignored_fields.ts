/** `X-Ignored-Fields`: what of a request was ignored. */

/** Bytes of the header's value at most. */
const maxBytes = 1024;

const more = ', ...';

/** Names as they stand in the header, percent-encoded; dots at the end where there is no room for all. */
export function ignoredFieldsHeader(names: readonly string[]): string {
  const [first = '', ...others] = names.map(encoded);
  let text = first.length + more.length <= maxBytes ? first : '';
  for (const name of text === '' ? [] : others) {
    if (text.length + 2 + name.length + more.length > maxBytes) return text + more;
    text += `, ${name}`;
  }
  return text === '' ? '...' : text;
}

/** A name that is longer than the header may be is not worth encoding. */
const encoded = (name: string): string =>
  encodeURIComponent(name.slice(0, maxBytes).toWellFormed());
