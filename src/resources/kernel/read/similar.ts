/** What is like the words that were typed, where nothing has them. */
import type { UnitOfWork } from '../../../context/context.ts';
import type { Group, Search, Words } from '../../../search/search.ts';
import { type Difference, differenceOf, loosened, maxSimilar } from '../../../search/similar.ts';
import { candidatesStatement } from '../../../search/statement.ts';
import { shapes } from '../../shapes.ts';

interface Candidate {
  readonly id: number;
  readonly text: string;
}

/** Whether a search may find what is similar: it has words, and nobody gave it an order. */
export const mayBeSimilar = ({ words, sorts: [first] }: Search): boolean =>
  words !== undefined && first?.words === words;

/**
 * Finds what is like the words of a search, and meets it otherwise.
 * @returns ids, the most similar first, at most 50; none where nothing is
 */
export async function findSimilar(ctx: UnitOfWork, search: Search): Promise<readonly number[]> {
  const { words } = search;
  if (!words) return [];
  for (const errors of [1, 2] as const) {
    const loose = loosened(words, errors);
    if (!loose) continue;
    const looser = { ...search, where: withLoose(search.where, loose), words: loose };
    const candidates = await ctx.db.query<Candidate>(
      candidatesStatement(looser, shapes, ctx.viewer.accountId),
      { prepare: 'never', reads: true },
    );
    const found = best(words, candidates);
    if (found.length > 0) return found;
  }
  return [];
}

function best(words: Words, candidates: readonly Candidate[]): readonly number[] {
  const like: (Difference & { readonly id: number })[] = [];
  for (const { id, text } of candidates) {
    const difference = differenceOf(words, text);
    if (difference) like.push({ id, ...difference });
  }
  like.sort(
    (one, other) => one.errors - other.errors || one.letters - other.letters || one.id - other.id,
  );
  return like.slice(0, maxSimilar).map(({ id }) => id);
}

/** The conditions with these words in place of what was typed. */
function withLoose({ any, conditions, groups }: Group, words: Words): Group {
  return {
    any,
    conditions: conditions.map((condition) =>
      condition.words ? { ...condition, words } : condition,
    ),
    groups: groups.map((group) => withLoose(group, words)),
  };
}
