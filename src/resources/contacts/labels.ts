import type { Field } from '../kernel/fields.ts';
import { text } from '../kernel/fields.ts';

/** More would make pages of contacts too large for everyone who reads them. */
const mostLabels = 100;

const label = text({ normalise: (name) => name.trim() });

/**
 * Labels: a comma-separated text or a list of texts; trimmed, blanks dropped, duplicates dropped
 * ignoring case (the first spelling stays), in their order.
 */
export const labels: Field<readonly string[]> = {
  cleared: { value: [] },
  read(value, report) {
    const parts = typeof value === 'string' ? splitLabels(value) : value;
    if (!Array.isArray(parts)) return void report('must be a string or a list of strings');
    const found = new Map<string, string>();
    let wrong = false;
    for (const part of parts) {
      const read = label.read(part, (message) => {
        wrong = true;
        report(message);
      });
      if (read && !found.has(read.toLowerCase())) found.set(read.toLowerCase(), read);
    }
    if (found.size > mostLabels) return void report(`has more than ${mostLabels} labels`);
    return wrong ? undefined : [...found.values()];
  },
};

/** Splits at commas; double quotes protect a comma, a doubled one within stands for itself. */
function splitLabels(line: string): string[] {
  const quoted = /\s*"((?:[^"]|"")*)"\s*(?:,|$)|([^,]*)(?:,|$)/y;
  const parts: string[] = [];
  while (quoted.lastIndex < line.length) {
    const match = quoted.exec(line);
    if (!match) break;
    parts.push(match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"'));
  }
  return parts;
}
