/** How a question is asked of the service. */
import type { Asked } from './oracle.ts';

/** The document of a question: one field, with what it asks as literals. */
export function documentOf(
  { measures = [], matches: _, ...given }: Asked,
  accountId: number,
  zone: string,
): string {
  const sent = { account_id: accountId, ...given, time_zone: zone };
  const args = Object.entries(sent).map(
    ([name, value]) => `${name}: ${name === 'of' ? String(value) : literal(value)}`,
  );
  const figures = measures.map((text, at) => {
    const { aggregate, of } = measureOf(text);
    return `m${at}: ${aggregate}(of: "${of}")`;
  });
  return `{\n  summary(${args.join(', ')}) {\n    keys { value label }\n    is_rest count\n    ${figures.join('\n    ')}\n  }\n}`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${key}: ${literal(inner)}`)
    .join(', ')}}`;
}

/** The parts of a measure as it is asked for: `sum(amount_in_cents)`. */
export function measureOf(text: string): { readonly aggregate: string; readonly of: string } {
  const open = text.indexOf('(');
  return { aggregate: text.slice(0, open), of: text.slice(open + 1, -1) };
}
