/**
 * The parts of a batch that is all that a call with a key does: each stores its outcome in its own
 * transaction, and so is done once.
 */
import type { Context, Progress } from '../../../context/context.ts';
import type { Database, Queryable } from '../../../db/database.ts';
import { isBroken } from '../../../db/errors.ts';
import {
  type Code,
  type Conflict,
  Fault,
  type FieldCodes,
  type FieldMessages,
} from '../../../errors/errors.ts';
import { stringifyJson } from '../../../json/json.ts';
import type { Outcome } from './verb.ts';

/** The same call, made elsewhere at the same time, has done this part: it is undone here. */
export class CompletedElsewhere extends Error {}

/** An outcome as it is kept; it holds ids and refusals, and so no values of a record. */
type StoredOutcome =
  | { readonly status: 200 | 201 | 204; readonly id: number }
  | {
      readonly code: Code;
      readonly messages: readonly string[];
      readonly fields?: FieldMessages;
      readonly conflict?: Conflict;
      readonly fieldCodes?: FieldCodes;
    };

/** The parts of one batch call, and which of them an earlier attempt with the same key has done. */
export class BatchProgress {
  /** Where parts commit on their own. */
  readonly db: Database;
  readonly #progress: Progress | undefined;
  #answers: ReadonlyMap<number, string | null> = new Map();

  private constructor({ db, progress }: Context) {
    this.#progress = progress;
    this.db = progress ? (db.outsideTransaction ?? db) : db;
  }

  /** Begins with what an earlier attempt has done. */
  static async of(ctx: Context): Promise<BatchProgress> {
    const doing = new BatchProgress(ctx);
    await doing.read();
    return doing;
  }

  /** Reads again what is done. */
  async read(): Promise<void> {
    if (this.#progress) this.#answers = await this.#progress.answers();
  }

  /**
   * @param part from 1 on
   * @returns its outcomes; undefined while it is still to be done
   * @throws {Fault} GONE where its outcomes have been erased
   */
  done(part: number): readonly Outcome[] | undefined {
    const text = this.#answers.get(part);
    if (text === null) throw new Fault('GONE');
    if (text === undefined) return undefined;
    // Only `keep` writes what is read here.
    const outcomes: readonly StoredOutcome[] = JSON.parse(text);
    return outcomes.map(outcomeOf);
  }

  /**
   * Stores the outcomes of a part.
   * @param tx the part's own transaction
   * @throws {CompletedElsewhere} when another process has done the part meanwhile
   */
  async keep(tx: Queryable, part: number, outcomes: readonly Outcome[]): Promise<void> {
    try {
      await this.#progress?.keep(tx, part, stringifyJson(outcomes.map(keptOf)), []);
    } catch (error) {
      if (isBroken('unique')(error)) throw new CompletedElsewhere('another process did this part');
      throw error;
    }
  }
}

function keptOf(outcome: Outcome): StoredOutcome {
  if (!('fault' in outcome)) return outcome;
  const { code, messages, fields, conflict, fieldCodes } = outcome.fault;
  return {
    code,
    messages,
    ...(fields && { fields }),
    ...(conflict && { conflict }),
    ...(fieldCodes && { fieldCodes }),
  };
}

const outcomeOf = (outcome: StoredOutcome): Outcome =>
  'status' in outcome
    ? outcome
    : {
        fault: new Fault(
          outcome.code,
          outcome.messages,
          outcome.fields,
          outcome.conflict,
          outcome.fieldCodes,
        ),
      };
