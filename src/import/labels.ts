/** Labels that stand in one cell. */

/** What divides them; the last one as Google Contacts writes it. */
const divider = /[,;]|:::/y;

/**
 * Divides a text at commas, semicolons and `:::`. A label in double quotes may hold these, and a doubled quote
 * there stands for one; a quote that nothing closes is a character like any other.
 * @returns labels without blanks around them, none empty
 */
export function labelsIn(text: string): readonly string[] {
  const labels: string[] = [];
  let from = 0;
  let state: 'blank' | 'quoted' | 'closed' | 'plain' = 'blank';
  for (let at = 0; at < text.length; at += 1) {
    const isQuote = text[at] === '"';
    divider.lastIndex = at;
    if (state === 'quoted') {
      if (isQuote) state = 'closed';
    } else if (divider.test(text)) {
      labels.push(unquoted(text.slice(from, at)));
      from = divider.lastIndex;
      at = from - 1;
      state = 'blank';
    } else if (isQuote && (state === 'blank' || (state === 'closed' && text[at - 1] === '"'))) {
      state = 'quoted';
    } else if (text[at] !== ' ') {
      state = 'plain';
    }
  }
  const rest = text.slice(from);
  labels.push(...(state === 'quoted' ? rest.split(/[,;]|:::/) : [unquoted(rest)]));
  return labels.map((label) => label.trim()).filter((label) => label !== '');
}

const unquoted = (label: string): string => {
  const text = label.trim();
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  return isQuoted ? text.slice(1, -1).replaceAll('""', '"').trim() : text;
};
