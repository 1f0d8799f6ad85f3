import type { ComputedColumn } from '../../../db/sql/shape.ts';

/**
 * Where a deal stands in its stage, 1 to n: its stage tells it from its rank, as `pieces.ts` says.
 * Among several pieces functions of the database find either, so that statements need not prepare for
 * what few stages ask of them.
 */
export const position: ComputedColumn = {
  kind: 'integer',
  by: 'stages',
  key: 'stage_id',
  needs: {
    plain: ['ranks_ahead'],
    lists: ['piece_ranks', 'piece_places', 'piece_steps'],
  },
  // A write that waited sees the deal already moved, but its stage as it was before the move: a rank ahead of all is the first.
  value: `CASE WHEN $by.piece_ranks IS NULL THEN greatest($row.rank - $by.ranks_ahead, 1)
    ELSE coalesce(position_among_pieces($row.account_id, $row.stage_id, $row.rank + $row.rank_fraction,
      $by.piece_ranks, $by.piece_places, $by.piece_steps), 1) END`,
  mostly: {
    of: 'CASE WHEN $by.piece_ranks IS NULL THEN $by.ranks_ahead END',
    value: '$row.rank - $of',
  },
  order: ['rank', 'rank_fraction'],
  // Clamped to the range of ranks. OFFSET 0 keeps the expression from being evaluated more than once.
  at: `SELECT floor(rank)::integer AS rank, rank - floor(rank) AS rank_fraction FROM (SELECT least(greatest(
      CASE WHEN $by.piece_ranks IS NULL THEN $value::double precision + $by.ranks_ahead
      ELSE rank_among_pieces($account, $by.id, $value, $by.piece_ranks, $by.piece_places, $by.piece_steps) END,
      -2147483648), 2147483647) AS rank OFFSET 0) AS of`,
};

const beside = (comparison: '<' | '>', direction: 'DESC' | 'ASC') =>
  `(SELECT other.id FROM deals AS other WHERE other.account_id = $account AND other.stage_id = $row.stage_id
      AND (other.rank, other.rank_fraction) ${comparison} ($row.rank, $row.rank_fraction)
    ORDER BY other.rank ${direction}, other.rank_fraction ${direction} LIMIT 1)`;

/** The deals of the stage before and behind a deal: see {@link Shape.neighbours}. */
export const neighbours = `json_build_array(${beside('<', 'DESC')}, ${beside('>', 'ASC')})`;
