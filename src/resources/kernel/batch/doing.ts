/** The parts of a batch that came with a key: each is kept in its own transaction, and so is done once. */
import type { Context, Progress } from '../../../context.ts';
import type { Database, Queryable } from '../../../db/database.ts';
import { isBroken } from '../../../db/errors.ts';
import { type Code, type Conflict, Fault, type FieldMessages } from '../../../errors.ts';
import { stringifyJson } from '../../../json.ts';
import type { Outcome } from './verb.ts';

/** The same call, made elsewhere at the same time, has done this part: it is undone here. */
export class Overtaken extends Error {}

/** An outcome as it is kept; it holds ids and refusals, and so no values of a record. */
type Kept =
  | { readonly status: 200 | 201 | 204; readonly id: number }
  | {
      readonly code: Code;
      readonly messages: readonly string[];
      readonly fields?: FieldMessages;
      readonly conflict?: Conflict;
    };

export class Doing {
  /** Where parts commit on their own. */
  readonly db: Database;
  readonly #progress: Progress | undefined;
  #told: ReadonlyMap<number, string | null> = new Map();

  private constructor({ db, progress }: Context) {
    this.#progress = progress;
    this.db = progress ? (db.apart ?? db) : db;
  }

  /** What the call has done by now. */
  static async of(ctx: Context): Promise<Doing> {
    const doing = new Doing(ctx);
    await doing.read();
    return doing;
  }

  /** Reads again what is done. */
  async read(): Promise<void> {
    if (this.#progress) this.#told = await this.#progress.told();
  }

  /**
   * @param part from 1 on
   * @returns undefined of one that is still to be done
   * @throws {Fault} GONE where what became of it was to be forgotten
   */
  done(part: number): readonly Outcome[] | undefined {
    const text = this.#told.get(part);
    if (text === null) throw new Fault('GONE');
    if (text === undefined) return undefined;
    // Only `keep` writes what is read here.
    const kept: readonly Kept[] = JSON.parse(text);
    return kept.map(outcomeOf);
  }

  /**
   * Keeps what became of a part.
   * @param tx the part's own transaction
   * @throws {Overtaken}
   */
  async keep(tx: Queryable, part: number, outcomes: readonly Outcome[]): Promise<void> {
    try {
      await this.#progress?.keep(tx, part, stringifyJson(outcomes.map(keptOf)), []);
    } catch (error) {
      if (isBroken('unique')(error)) throw new Overtaken('another process did this part');
      throw error;
    }
  }
}

function keptOf(outcome: Outcome): Kept {
  if (!('fault' in outcome)) return outcome;
  const { code, messages, fields, conflict } = outcome.fault;
  return { code, messages, ...(fields && { fields }), ...(conflict && { conflict }) };
}

const outcomeOf = (kept: Kept): Outcome =>
  'status' in kept
    ? kept
    : { fault: new Fault(kept.code, kept.messages, kept.fields, kept.conflict) };
