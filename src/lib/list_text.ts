/** Several texts in one, as people write lists. */

/**
 * Splits at commas, in one pass. Double quotes protect commas; a doubled quote inside stands for one. Quotes that
 * do not enclose a part, blanks around it apart, are characters like any other.
 */
export function splitList(line: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < line.length; ) {
    const part = quotedAt(line, at) ?? plainAt(line, at);
    parts.push(part.text);
    at = part.next;
  }
  return parts;
}

/** A text as it stands in a list that {@link splitList} reads. */
export const listPart = (text: string): string =>
  /[,"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

interface Part {
  readonly text: string;
  /** Where the next one begins. */
  readonly next: number;
}

function plainAt(line: string, start: number): Part {
  const comma = line.indexOf(',', start);
  const end = comma === -1 ? line.length : comma;
  return { text: line.slice(start, end), next: end + 1 };
}

/** @returns undefined unless a part in quotes begins there, with nothing but blanks around it */
function quotedAt(line: string, start: number): Part | undefined {
  const quote = endOfBlanks(line, start);
  if (line[quote] !== '"') return undefined;
  let closing = line.indexOf('"', quote + 1);
  while (closing !== -1 && line[closing + 1] === '"') closing = line.indexOf('"', closing + 2);
  if (closing === -1) return undefined;
  const end = endOfBlanks(line, closing + 1);
  if (end < line.length && line[end] !== ',') return undefined;
  return { text: line.slice(quote + 1, closing).replaceAll('""', '"'), next: end + 1 };
}

function endOfBlanks(line: string, start: number): number {
  let at = start;
  while (at < line.length && isBlank.test(line.charAt(at))) at++;
  return at;
}

const isBlank = /\s/;
