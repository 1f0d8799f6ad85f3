/**
 * The JSON texts that stand under a key in a JSON text, untouched by any parser.
 * @param depth how many objects and lists are open where the key stands
 */
export function textsUnder(text: string, key: string, depth: number): string[] {
  const found: string[] = [];
  let open = 0;
  let since: number | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at];
    if (c === '"') {
      const start = at;
      for (at += 1; text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
      const isKey = open === depth && since === undefined && text[at + 1] === ':';
      if (isKey && text.slice(start + 1, at) === key) since = at + 2;
    } else {
      const closes = c === '}' || c === ']';
      if (open === depth && since !== undefined && since <= at && (c === ',' || closes)) {
        found.push(text.slice(since, at));
        since = undefined;
      }
      if (c === '{' || c === '[') open += 1;
      if (closes) open -= 1;
    }
  }
  return found;
}
