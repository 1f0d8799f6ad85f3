/** What is like the words that were typed, where nothing has them. */
import type { UnitOfWork } from '../../../context/context.ts';
import type { Sql } from '../../../db/sql/sql.ts';
import { Portions } from '../../../lib/portions.ts';
import type { Group, Search, Words } from '../../../search/search.ts';
import {
  type Difference,
  differenceOf,
  errorsIn,
  type FirstText,
  loosened,
  maxSimilar,
} from '../../../search/similar.ts';
import { candidatesStatement, firstStatement } from '../../../search/statement.ts';
import { shapes } from '../../shapes.ts';

/** So many records of an account are looked at one by one. */
const few = 1000;

/** Among these, the most that may have what is looked for because a word may be like it: an index finds few in all. */
const rare = 2;

interface Candidate {
  readonly id: number;
  readonly text: string;
}

type First = Candidate & FirstText;

/** Whether a search may find what is similar: it has words, and nobody gave it an order. */
export const mayBeSimilar = ({ words, sorts: [first] }: Search): boolean =>
  words !== undefined && first?.words === words;

/**
 * Finds what is like the words of a search, and meets it otherwise. All of few records are looked at. Of many the first
 * tell which words are common: an index finds those that have words like what was typed, and rarer ones. Where it finds
 * none, it is asked for all that is left of a word by any errors, which takes longer.
 * @param limit at most 50
 * @returns ids, the most similar first; none where nothing is
 */
export async function findSimilar(
  ctx: UnitOfWork,
  search: Search,
  limit = maxSimilar,
): Promise<readonly number[]> {
  const { words, where, shape } = search;
  if (!words?.all.some((word) => errorsIn(word) > 0)) return [];
  const { accountId } = ctx.viewer;
  const portions = new Portions(accountId);
  const readCandidates = <Row extends Candidate>(statement: Sql) =>
    ctx.db.query<Row>(statement, { prepare: 'never', reads: true });
  const idsOf = (like: readonly Like[]) => like.slice(0, limit).map(({ id }) => id);
  const first = await readCandidates<First>(firstStatement(shape, shapes, accountId, few + 1));
  if (where.groups.length === 0) {
    const like = await best(words, first, portions);
    // None can have fewer errors.
    if (first.length <= few || like[limit - 1]?.errors === 1) return idsOf(like);
  }
  const isAll = first.length <= few;
  let before: Words | undefined;
  for (let times = isAll ? 1 : 2; times > 0; times--) {
    const loose = await loosened(words, first, isAll ? few : rare, before, portions);
    const looser = { ...search, where: withLoose(where, loose), words: loose };
    const candidates = await readCandidates<Candidate>(
      candidatesStatement(looser, shapes, accountId),
    );
    const like = await best(words, candidates, portions);
    if (like.length > 0) return idsOf(like);
    before = loose;
  }
  return [];
}

interface Like extends Difference {
  readonly id: number;
}

/** Those that are like the words, the most similar first. */
async function best(
  words: Words,
  candidates: readonly Candidate[],
  portions: Portions,
): Promise<readonly Like[]> {
  const like: Like[] = [];
  await portions.each(candidates, ({ id, text }) => {
    const difference = differenceOf(words, text);
    if (difference) like.push({ id, ...difference });
  });
  return like.sort(
    (one, other) => one.errors - other.errors || one.letters - other.letters || one.id - other.id,
  );
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
