/**
 * The capital sigma has two small letters, of which the database's case folding knows one: ς ends
 * words, and differs from the σ that it makes of Σ. So what looks for a sigma is compared by a
 * regular expression that takes either. Trigram indexes answer it as they answer LIKE.
 */
import { raw, type Sql, sql } from '../db/sql/sql.ts';

/** Above this many characters PostgreSQL may call an expression too complex. */
const maxExpression = 500;

const sigma = /[Σσς]/;

export const hasSigma = (value: unknown): boolean => sigma.test(String(value));

/** The part of a value before its first sigma, or behind its last one. */
export const beforeSigma = (value: string): string => value.slice(0, value.search(sigma));
export const behindSigma = (value: string): string =>
  value.slice(Math.max(...['Σ', 'σ', 'ς'].map((letter) => value.lastIndexOf(letter))) + 1);

/** How texts are compared with LIKE patterns: operators, and what they compare. */
export interface Comparison {
  readonly operator: Sql;
  readonly negated: Sql;
  readonly patterns: readonly string[];
  /** Applied to both sides once their case is folded. */
  readonly as: (text: Sql) => Sql;
}

const like = { operator: raw('LIKE'), negated: raw('NOT LIKE') } as const;

/** @param patterns of LIKE */
export function comparisonOf(patterns: readonly string[]): Comparison {
  if (!patterns.some(hasSigma)) return { ...like, patterns, as: (text) => text };
  if (patterns.some((pattern) => pattern.length > maxExpression)) {
    return { ...like, patterns, as: (text) => sql`replace(${text}, 'ς', 'σ')` };
  }
  return {
    operator: raw('~'),
    negated: raw('!~'),
    patterns: patterns.map(expressionOf),
    as: (text) => text,
  };
}

/** The regular expression that finds what a LIKE pattern does, with either sigma. */
function expressionOf(pattern: string): string {
  const body = pattern.replaceAll(/\\(.)|(.)/gsu, (_, escaped?: string, plain?: string) => {
    if (escaped === undefined && plain === '%') return '.*';
    if (escaped === undefined && plain === '_') return '.';
    const letter = escaped ?? plain ?? '';
    return sigma.test(letter) ? '[σς]' : letter.replace(/[.*+?()[\]{}|\\^$]/, '\\$&');
  });
  return `^${body}$`;
}
