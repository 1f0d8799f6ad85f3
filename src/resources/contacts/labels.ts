import { coded, type Problem } from '../../errors/codes.ts';
import { splitList } from '../../lib/list_text.ts';
import { text } from '../kernel/fields/fields.ts';
import type { Field, Report } from '../kernel/fields/input.ts';
import { foldCase } from '../kernel/fields/single_line.ts';

/** A limit on the labels of a contact, so that pages of contacts stay small for their readers. */
const maxLabels = 100;

/** How many may be sent, with blanks and duplicates, which are dropped. */
const maxParts = 10 * maxLabels;
const maxLetters = 255;
const maxInLine = 65_535;
const tooMany = coded('too_many', `has more than ${maxLabels} labels`);

const label = text({ max: maxLetters, normalise: (name) => name.trim() });

/** Labels in one text. */
const line = text({ max: maxInLine });

/**
 * Labels: a comma-separated text or a list of texts, trimmed and in order. Blanks are dropped, and
 * so are duplicates: case is ignored and the first spelling kept. A number stands for its digits.
 */
export const labels: Field<readonly string[]> = {
  cleared: { value: [] },
  limits: { maxLength: maxInLine, maxItems: maxParts, maxItemLength: maxLetters },
  read(value, report) {
    const parts = typeof value === 'string' ? partsOf(value, report) : value;
    if (parts === undefined) return undefined;
    if (!Array.isArray(parts)) return void report('must be a string or a list of strings');
    if (parts.length > maxParts) return void report(tooMany);
    const labelsByKey = new Map<string, string>();
    let wrong = false;
    for (const part of parts) {
      const tell = (problem: Problem) => {
        wrong = true;
        report(problem);
      };
      const name = label.read(part, tell);
      if (name && !labelsByKey.has(foldCase(name))) labelsByKey.set(foldCase(name), name);
    }
    if (labelsByKey.size > maxLabels) return void report(tooMany);
    return wrong ? undefined : [...labelsByKey.values()];
  },
};

function partsOf(value: string, report: Report): string[] | undefined {
  const singleLine = line.read(value, report);
  return singleLine === undefined ? undefined : splitList(singleLine);
}
