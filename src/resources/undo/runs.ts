/**
 * What the trail of one record says of taking back the chosen entries in it. Nothing here knows the
 * database.
 */
import { groupOf, type Kind } from './kinds.ts';

/** Values of a record by field: each as its JSON text, so that none is altered on its way. */
export type Row = ReadonlyMap<string, string>;

/** The id that a field names: none where it names nothing, as in what was erased. */
export function idsIn(row: Row | undefined, field: string): readonly number[] {
  const text = row?.get(field) ?? 'null';
  return text === 'null' ? [] : [Number(text)];
}

/** An entry of a record's trail. */
export interface Entry {
  readonly id: number;
  readonly verb: 'create' | 'update' | 'delete';
  readonly request: string;
  /** Whether it is one of those to be taken back. */
  readonly chosen: boolean;
  /** Whether what it held is no longer there to be put back. */
  readonly erased: boolean;
  readonly fields: readonly string[];
  /** Of a chosen one, what the fields were. */
  readonly before: Row;
  /** Of a chosen removal, what the trail holds besides. */
  readonly remains: Remains | undefined;
}

/** What bringing a removed record back takes besides its fields; of entries of former versions nothing is known. */
export interface Remains {
  /** When it was created and last changed. */
  readonly moments: Row;
  /** The deals before and behind a deal. */
  readonly neighbours: Neighbours | undefined;
}

export type Neighbours = readonly [before: number | null, behind: number | null];

export type Reason = 'changed' | 'deleted' | 'held' | 'erased' | 'taken' | 'missing' | 'too_large';

/** Something that is left as it is, and why. */
export interface Conflict {
  readonly kind: Kind;
  readonly id: number;
  /** None where it is about the whole record. */
  readonly fields: readonly string[];
  readonly reason: Reason;
}

/**
 * What may be put back of a group of fields that somebody else has changed since: nothing, if it is
 * that already.
 */
interface Overtaken {
  readonly fields: readonly string[];
  readonly earliest: Row;
}

/** Where a record stood before it was moved, by the id of the entry of the move. */
export interface Step {
  readonly entry: number;
  readonly before: Row;
}

/** A removal to be taken back. */
export interface RemovalEntry {
  readonly entry: number;
  /** What the record was. */
  readonly before: Row;
  readonly remains: Remains | undefined;
  readonly isErased: boolean;
}

/** What is asked of one record. */
export interface RecordReversal {
  readonly kind: Kind;
  readonly id: number;
  /** The chosen entry of its creation, which is taken back by its removal. */
  readonly created: Entry | undefined;
  /** Whether nobody else has touched it since. */
  readonly alone: boolean;
  readonly isGone: boolean;
  /** The values to put back, but for its place. */
  readonly values: Row;
  /** How it came to its place, newest first. */
  readonly steps: readonly Step[];
  readonly overtaken: readonly Overtaken[];
  readonly erased: readonly string[];
  /** Its removal, if that is what is to be taken back in the end. */
  readonly removed: RemovalEntry | undefined;
}

/** The stage that a deal is put back to: that of before the first of its moves that is taken back. */
export const stageBefore = ({ steps }: RecordReversal): string | undefined =>
  steps.findLast(({ before }) => before.has('stage_id'))?.before.get('stage_id');

/**
 * Goes through a record's trail, newest first and field by field: while an entry is one of those
 * chosen, what it changed is taken back; the first one of somebody else ends that. So it is with its comings
 * and goings.
 * @param entries of the record since the first chosen one, oldest first; at least one
 */
export function reversalOf(kind: Kind, id: number, entries: readonly Entry[]): RecordReversal {
  const { isGone, came, went } = comingsAndGoings(entries);
  const until = went ? entries.indexOf(went) : entries.length;
  const values = new Map<string, string>();
  const steps: Step[] = [];
  const overtaken: Overtaken[] = [];
  const erased: string[] = [];
  const changes = entries
    .slice(0, until)
    .filter(({ verb }) => verb === 'update')
    .reverse();
  for (const group of groupsOf(kind, changes)) {
    const touching = changes.filter(({ fields }) => fields.some((field) => group.includes(field)));
    const end = touching.findIndex((entry) => !entry.chosen || entry.erased);
    const run = end === -1 ? touching : touching.slice(0, end);
    const own = touching.filter(({ chosen }) => chosen);
    if (run.length > 0) {
      for (const entry of run) take(kind, group, entry, values, steps);
    } else if (touching[0]?.chosen) {
      erased.push(...group.filter((field) => own.some(({ fields }) => fields.includes(field))));
    } else {
      const earliest = new Map(own.flatMap(({ before }) => [...within(before, group)]));
      overtaken.push({ fields: [...earliest.keys()], earliest });
    }
  }
  return {
    ...{ kind, id, created: came, values, steps, overtaken, erased, isGone },
    alone: entries.slice(came ? entries.indexOf(came) : 0).every(({ chosen }) => chosen),
    removed: went && {
      ...{ entry: went.id, before: went.before, remains: went.remains },
      isErased: went.erased,
    },
  };
}

const nothing = { values: new Map(), steps: [], overtaken: [], erased: [] } as const;

/** The same of a removal that nothing came after, and that is to be taken back by itself. */
export const removedOf = (
  kind: Kind,
  id: number,
  { id: entry, ...went }: Entry,
): RecordReversal => ({
  ...{ kind, id, ...nothing, created: undefined, isGone: true, alone: true },
  removed: { entry, before: went.before, remains: went.remains, isErased: went.erased },
});

interface ComingsAndGoings {
  readonly isGone: boolean;
  /** The chosen creation that is to be taken back. */
  readonly came: Entry | undefined;
  /** The chosen removal that is to be taken back. */
  readonly went: Entry | undefined;
}

/** Which creation or removal is the earliest of those chosen that nobody else's came after. */
function comingsAndGoings(entries: readonly Entry[]): ComingsAndGoings {
  const lives = entries.filter(({ verb }) => verb !== 'update').reverse();
  const others = lives.findIndex(({ chosen }) => !chosen);
  const earliest = (others === -1 ? lives : lives.slice(0, others)).at(-1);
  const isGone = lives[0]?.verb === 'delete';
  const [oldest] = entries;
  // What somebody else has removed is gone already.
  const isOwn = isGone && oldest?.verb === 'create' && oldest.chosen;
  return {
    isGone,
    came: isOwn ? oldest : earliest?.verb === 'create' ? earliest : undefined,
    went: isGone && earliest?.verb === 'delete' ? earliest : undefined,
  };
}

/** The groups of fields that chosen changes touch, each once. */
function groupsOf(kind: Kind, changes: readonly Entry[]): readonly (readonly string[])[] {
  const groups = new Map<string, readonly string[]>();
  for (const { fields } of changes.filter(({ chosen }) => chosen)) {
    for (const field of fields) {
      const group = groupOf(kind, field);
      if (group[0] !== undefined) groups.set(group[0], group);
    }
  }
  return [...groups.values()];
}

const within = (row: Row, group: readonly string[]): [string, string][] =>
  [...row].filter(([field]) => group.includes(field));

function take(
  kind: Kind,
  group: readonly string[],
  { id, before }: Entry,
  values: Map<string, string>,
  steps: Step[],
): void {
  const own = within(before, group);
  if (group.includes('position') && (kind === 'deal' || kind === 'stage')) {
    steps.push({ entry: id, before: new Map(own) });
  } else for (const [field, value] of own) values.set(field, value);
}
