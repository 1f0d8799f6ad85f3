import type { Told } from '../../../db/shape.ts';

const rank = '($row.rank + $row.rank_fraction)';

// Looked for three times: a subquery that names it once takes longer, even where it is not needed.
const piece = `width_bucket(${rank}, $by.piece_ranks)`;

/** Where a deal stands in its stage, 1 to n: its stage tells it from its rank, as `pieces.ts` says. */
export const position: Told = {
  kind: 'integer',
  by: 'stages',
  key: 'stage_id',
  needs: {
    plain: ['ranks_ahead'],
    lists: ['piece_ranks', 'piece_places', 'piece_steps'],
  },
  value: `CASE WHEN $by.piece_ranks IS NULL THEN $row.rank - $by.ranks_ahead
    ELSE ($by.piece_places[${piece}] + (${rank} - $by.piece_ranks[${piece}]) / $by.piece_steps[${piece}])::integer END`,
  order: ['rank', 'rank_fraction'],
  // Beyond what a rank can be there is none.
  at: `SELECT floor(rank)::integer AS rank, rank - floor(rank) AS rank_fraction FROM (SELECT least(greatest(
      CASE WHEN $by.piece_ranks IS NULL THEN $value::double precision + $by.ranks_ahead
      ELSE (SELECT $by.piece_ranks[piece] + ($value::double precision - $by.piece_places[piece]) * $by.piece_steps[piece]
        FROM greatest(width_bucket($value::double precision, $by.piece_places::double precision[]), 1) AS piece) END,
      -2147483648), 2147483647) AS rank) AS of`,
};
