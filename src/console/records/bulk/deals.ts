/** What is done with many deals at a time. */
import {
  AssignOneDocument,
  ChangeDealsDocument,
  ChosenDealsDocument,
  RestoreDealDocument,
  UnassignOneDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { outcomeOf } from './outcome.ts';
import { type ChosenDeal, everyRow, type Piece, runOver } from './run.ts';

type Query = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, unknown>>;

const read = (query: Query) => () =>
  everyRow<ChosenDeal>(async (after) => (await ask(ChosenDealsDocument, { query, after })).list);

const write = async (operation: string, records: readonly Fields[]) =>
  (await ask(ChangeDealsDocument, { operation, records })).batch.results;

/**
 * Changes deals.
 * @param fields of each
 * @param before the fields of a deal that bring it back to what it was
 */
const change =
  (fields: Fields, before: (deal: ChosenDeal) => Fields) =>
  async (rows: readonly ChosenDeal[]): Promise<Piece> => {
    const results = await write(
      'update',
      rows.map(({ id }) => ({ id, ...fields })),
    );
    return outcomeOf(rows, results, (changed) => [
      () =>
        write(
          'update',
          changed.map((deal) => ({ id: deal.id, ...before(deal) })),
        ),
    ]);
  };

export const moveDeals = (query: Query, stageId: number) =>
  runOver(
    read(query),
    change({ stage_id: stageId }, ({ stage_id, position }) => ({ stage_id, position })),
  );

export const closeDeals = (query: Query, status: string) =>
  runOver(
    read(query),
    change({ status }, (deal) => ({
      status: deal.status,
      lost_reason: deal.lost_reason,
      lost_at: deal.lost_at,
      won_at: deal.won_at,
    })),
  );

/** Has a user work on deals, beside whoever does. */
export const assignDeals = (query: Query, userId: number) =>
  runOver(
    read(query),
    async (rows): Promise<Piece> => {
      const others = rows.filter(
        ({ deal_assignees }) => !deal_assignees.some(({ user_id }) => user_id === userId),
      );
      const made = await Promise.all(
        others.map(({ id }) => ask(AssignOneDocument, { input: { deal_id: id, user_id: userId } })),
      );
      const takeOff = made.map(
        ({ create_deal_assignee: { id } }) =>
          () =>
            ask(UnassignOneDocument, { id }),
      );
      return { done: rows.length, undo: takeOff };
    },
    5,
  );

/** Has one user work on deals, and nobody else. */
export const handDealsOver = (query: Query, userId: number) =>
  runOver(
    read(query),
    async (rows): Promise<Piece> => {
      const undo = await Promise.all(rows.map((row) => handOver(row, userId)));
      return { done: rows.length, undo: undo.flat() };
    },
    5,
  );

/** @returns what gives a deal back to those who worked on it */
async function handOver({ id, deal_assignees }: ChosenDeal, userId: number) {
  const assign = (user_id: number) => ask(AssignOneDocument, { input: { deal_id: id, user_id } });
  const undo: (() => Promise<unknown>)[] = [];
  // The new one first: a deal is never without anybody meanwhile.
  if (!deal_assignees.some(({ user_id }) => user_id === userId)) {
    const made = (await assign(userId)).create_deal_assignee.id;
    undo.push(() => ask(UnassignOneDocument, { id: made }));
  }
  for (const { id: assignee, user_id } of deal_assignees) {
    if (user_id === userId) continue;
    await ask(UnassignOneDocument, { id: assignee });
    undo.unshift(() => assign(user_id));
  }
  return undo;
}

export const deleteDeals = (query: Query) =>
  runOver(read(query), async (rows) => {
    const results = await write(
      'delete',
      rows.map(({ id }) => ({ id })),
    );
    return outcomeOf(rows, results, (gone) =>
      // The last one first: each stands beside those that were there.
      gone
        .map(
          ({ id }) =>
            () =>
              ask(RestoreDealDocument, { id }),
        )
        .reverse(),
    );
  });
