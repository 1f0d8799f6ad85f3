/** Lists of up to hundreds of thousands of records, in which some of them move. Nothing here knows the database. */
import type { Portions } from '../../lib/portions.ts';

/** The records of a stage or a pipeline, in their order. */
export type Lists = ReadonlyMap<number, readonly number[]>;

/** How many records a piece has to begin with; one of twice as many is divided. */
const pieceSize = 1_000;

interface Standing {
  readonly list: number;
  readonly piece: number[];
}

/** Each list in pieces, so that a move costs a look at one piece, and not at all records. */
export class Lines {
  readonly #pieces = new Map<number, number[][]>();
  readonly #standing = new Map<number, Standing>();

  /** @param moving the records that may come, go or move */
  static async of(lists: Lists, moving: ReadonlySet<number>, portions: Portions): Promise<Lines> {
    const lines = new Lines();
    for (const [list, members] of lists) {
      const pieces: number[][] = [];
      lines.#pieces.set(list, pieces);
      await portions.each(beginnings(members), (from) => {
        const piece = members.slice(from, from + pieceSize);
        pieces.push(piece);
        for (const id of piece) if (moving.has(id)) lines.#standing.set(id, { list, piece });
      });
    }
    return lines;
  }

  /** The list that a record stands in. */
  listOf = (id: number): number | undefined => this.#standing.get(id)?.list;

  has = (list: number): boolean => this.#pieces.has(list);

  /** How many stand before a moving record; undefined when it stands nowhere. */
  placeOf(id: number): number | undefined {
    const standing = this.#standing.get(id);
    if (!standing) return undefined;
    const { list, piece } = standing;
    let before = piece.indexOf(id);
    for (const other of this.#pieces.get(list) ?? []) {
      if (other === piece) break;
      before += other.length;
    }
    return before;
  }

  /** Takes a moving record out. @returns how many stood before it; undefined when it stands nowhere */
  remove(id: number): number | undefined {
    const before = this.placeOf(id);
    const piece = this.#standing.get(id)?.piece;
    piece?.splice(piece.indexOf(id), 1);
    this.#standing.delete(id);
    return before;
  }

  /** Puts a moving record behind the first `before` of a list, or at its end where there are fewer. */
  insert(list: number, before: number, id: number): void {
    const pieces = this.#pieces.get(list) ?? [];
    this.#pieces.set(list, pieces);
    let at = 0;
    let offset = before;
    for (; at < pieces.length - 1 && offset > (pieces[at]?.length ?? 0); at += 1) {
      offset -= pieces[at]?.length ?? 0;
    }
    const piece = pieces[at] ?? [];
    pieces[at] = piece;
    piece.splice(offset, 0, id);
    this.#standing.set(id, { list, piece });
    if (piece.length < 2 * pieceSize) return;
    const behind = piece.splice(pieceSize);
    pieces.splice(at + 1, 0, behind);
    for (const of of behind)
      if (this.#standing.has(of)) this.#standing.set(of, { list, piece: behind });
  }

  /** The lists as they are now. */
  async lists(portions: Portions): Promise<Lists> {
    const lists = new Map<number, number[]>();
    for (const [list, pieces] of this.#pieces) {
      const members: number[] = [];
      lists.set(list, members);
      await portions.each(pieces, (piece) => members.push(...piece));
    }
    return lists;
  }
}

function* beginnings(members: readonly number[]): Generator<number> {
  for (let from = 0; from < members.length; from += pieceSize) yield from;
}
