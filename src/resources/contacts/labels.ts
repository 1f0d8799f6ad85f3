import { text } from '../kernel/fields.ts';
import type { Field } from '../kernel/input.ts';

/** A limit on the labels of a contact, so that pages of contacts stay small for their readers. */
const mostLabels = 100;

const label = text({ normalise: (name) => name.trim() });

/**
 * Labels: a comma-separated text or a list of texts, trimmed and in order. Blanks are dropped, and
 * so are duplicates: case is ignored and the first spelling kept.
 */
export const labels: Field<readonly string[]> = {
  cleared: { value: [] },
  read(value, report) {
    const parts = typeof value === 'string' ? splitLabels(value) : value;
    if (!Array.isArray(parts)) return void report('must be a string or a list of strings');
    const found = new Map<string, string>();
    let wrong = false;
    for (const part of parts) {
      const tell = (message: string) => {
        wrong = true;
        report(message);
      };
      const read = typeof part === 'string' ? label.read(part, tell) : tell('must be a string');
      if (read && !found.has(read.toLowerCase())) found.set(read.toLowerCase(), read);
    }
    if (found.size > mostLabels) return void report(`has more than ${mostLabels} labels`);
    return wrong ? undefined : [...found.values()];
  },
};

/** Splits at commas. Double quotes protect commas; a doubled quote inside stands for one. */
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
