/** What a kind of record takes part in besides being read and written; its `record.ts` says so. */

/** What can happen to a record, as the actions of the trail end. */
export const verbs = ['create', 'update', 'delete', 'reorder', 'due'] as const;

/** The same where records have no order that people choose. */
export const plainVerbs = ['create', 'update', 'delete'] as const satisfies readonly Verb[];

export type Verb = (typeof verbs)[number];

/** How changes to a record are taken back. */
export interface UndoRules {
  /** Where it stands among others: numbers, which shift as the others move. */
  readonly place?: readonly string[];
  /** Fields that only make sense together: changing one counts as changing all of them. */
  readonly together?: readonly (readonly string[])[];
  /** Fields that follow from others, of the same record or beneath it. */
  readonly derived?: readonly string[];
}

export interface Participation {
  /** What the change feed and webhooks report of it. */
  readonly changes?: readonly Verb[];
  readonly undo?: UndoRules;
  /** Whether searches for it can be exported. */
  readonly exports?: true;
  /** Whether it is erased with the contact that it belongs to. */
  readonly erasure?: true;
}
