/** Deals that change places, on a board that shows some of those that stand in a stage. */
import type { BoardQuery } from '../../../generated/console.ts';

export type Column = BoardQuery['pipeline_board']['stages'][number];
export type BoardDeal = Column['deals'][number];

/** A deal, and the place where it is to stand: as the service takes it, from 1 within the stage. */
export interface Move {
  readonly dealId: number;
  readonly stageId: number;
  readonly position: number;
}

export interface CardPlace {
  readonly deal: BoardDeal;
  readonly column: Column;
  /** Place among the deals of the column that are shown, from 0. */
  readonly index: number;
}

export function find(columns: readonly Column[], dealId: number): CardPlace | undefined {
  for (const column of columns) {
    const index = column.deals.findIndex(({ id }) => id === dealId);
    const deal = column.deals[index];
    if (deal) return { deal, column, index };
  }
  return undefined;
}

/** Where a deal stands, as a move that would bring it there. */
export const placeOf = ({ deal, column }: CardPlace): Move => ({
  dealId: deal.id,
  stageId: column.stage.id,
  position: deal.position,
});

/**
 * The move of a deal to a place among those that are shown.
 * @param index among the other deals of the column, from 0
 */
export function moveTo(deal: BoardDeal, column: Column, index: number): Move {
  const { deals } = taken(column, deal.id);
  const behind = deals[index];
  const position = behind ? behind.position : (deals[index - 1]?.position ?? 0) + 1;
  return { dealId: deal.id, stageId: column.stage.id, position };
}

/** The board after a move; the same board when the deal is not on it, or its stage is not. */
export function withMove(columns: readonly Column[], move: Move): readonly Column[] {
  const found = find(columns, move.dealId);
  if (!found || !columns.some(({ stage }) => stage.id === move.stageId)) return columns;
  return columns.map((column) => {
    const without = taken(column, move.dealId);
    return column.stage.id === move.stageId ? put(without, found.deal, move.position) : without;
  });
}

/** A column without a deal: those behind it move up. */
function taken(column: Column, dealId: number): Column {
  const deal = column.deals.find(({ id }) => id === dealId);
  if (!deal) return column;
  return {
    ...column,
    count: column.count - 1,
    sum_in_cents: column.sum_in_cents - deal.total_deal_products_amount_in_cents,
    deals: column.deals
      .filter((other) => other !== deal)
      .map((other) => shifted(other, other.position > deal.position ? -1 : 0)),
  };
}

/** A column with a deal more: those from its position on move down. */
function put(column: Column, deal: BoardDeal, position: number): Column {
  const ahead = column.deals.filter((other) => other.position < position);
  const behind = column.deals.filter((other) => other.position >= position);
  return {
    ...column,
    count: column.count + 1,
    sum_in_cents: column.sum_in_cents + deal.total_deal_products_amount_in_cents,
    deals: [...ahead, { ...deal, position }, ...behind.map((other) => shifted(other, 1))],
  };
}

const shifted = (deal: BoardDeal, by: number): BoardDeal =>
  by === 0 ? deal : { ...deal, position: deal.position + by };
