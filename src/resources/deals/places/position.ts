import type { Told } from '../../../db/shape.ts';

const rank = '($row.rank + $row.rank_fraction)';

// Looked for again and again: a subquery that names it once takes longer, even where it is not needed.
const piece = `width_bucket(${rank}, $by.piece_ranks)`;
const pieceAt =
  'greatest(width_bucket($value::double precision, $by.piece_places::double precision[]), 1)';

/** FROM deals of a stage that stand in a piece or behind it. */
const since = (stage: string, piece: string) =>
  `FROM deals AS counted WHERE counted.account_id = $row.account_id AND counted.stage_id = ${stage}
    AND counted.rank >= floor($by.piece_ranks[${piece}])::integer
    AND counted.rank + counted.rank_fraction >= $by.piece_ranks[${piece}]`;

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
    WHEN $by.piece_steps[${piece}] > 0
      THEN ($by.piece_places[${piece}] + (${rank} - $by.piece_ranks[${piece}]) / $by.piece_steps[${piece}])::integer
    ELSE ($by.piece_places[${piece}] + (SELECT count(*) ${since('$row.stage_id', piece)}
      AND (counted.rank, counted.rank_fraction) < ($row.rank, $row.rank_fraction)))::integer END`,
  order: ['rank', 'rank_fraction'],
  // Beyond what a rank can be there is none. OFFSET 0 keeps it from being worked out more than once.
  at: `SELECT floor(rank)::integer AS rank, rank - floor(rank) AS rank_fraction FROM (SELECT least(greatest(
      CASE WHEN $by.piece_ranks IS NULL THEN $value::double precision + $by.ranks_ahead
      WHEN $value < 1 THEN -2147483648
      ELSE (SELECT CASE WHEN $by.piece_steps[piece] > 0
          THEN $by.piece_ranks[piece] + ($value::double precision - $by.piece_places[piece]) * $by.piece_steps[piece]
          ELSE (SELECT counted.rank + counted.rank_fraction ${since('$by.id', 'piece').replace('$row', '$by')}
            ORDER BY counted.rank, counted.rank_fraction OFFSET $value - $by.piece_places[piece] LIMIT 1) END
        FROM ${pieceAt} AS piece) END,
      -2147483648), 2147483647) AS rank OFFSET 0) AS of`,
};
