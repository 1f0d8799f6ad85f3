/** A plan in the making: what has been decided so far, and what a field will be then. */
import type { Contents } from './contents.ts';
import { type Kind, kinds } from './kinds.ts';
import type { Conflict, Reason, RecordReversal, Row } from './runs.ts';

/** A record that gets values back. */
export interface RestoredValues {
  readonly before: Map<string, string>;
  readonly after: Map<string, string>;
}

export class Draft {
  readonly reversals: ReadonlyMap<Kind, ReadonlyMap<number, RecordReversal>>;
  readonly contents: Contents;
  readonly restored = new Map<Kind, Map<number, RestoredValues>>(
    kinds.map((kind) => [kind, new Map()]),
  );
  readonly removed = new Map<Kind, Set<number>>(kinds.map((kind) => [kind, new Set()]));
  /** Records that come back, with all that they will be. */
  readonly revived = new Map<Kind, Map<number, Map<string, string>>>(
    kinds.map((kind) => [kind, new Map()]),
  );
  readonly conflicts: Conflict[] = [];
  /** The same of records that only cannot come back because others, which they refer to, cannot. */
  readonly orphans: Conflict[] = [];
  /** Deals that cannot go back to where they stood. */
  readonly stuck = new Set<number>();

  /** Contacts that cannot come back, and the fields whose values others keep. */
  readonly losses: ReadonlyMap<number, readonly string[]>;

  /** @param reversals by kind and id, in the order of the changes */
  constructor(reversals: Draft['reversals'], contents: Contents, losses: Draft['losses']) {
    this.reversals = reversals;
    this.contents = contents;
    this.losses = losses;
  }

  refuse(kind: Kind, id: number, reason: Reason, fields: readonly string[] = []): void {
    this.conflicts.push({ kind, id, fields, reason });
  }

  row(kind: Kind, id: number): Row | undefined {
    return this.contents.rows.get(kind)?.get(id) ?? this.revived.get(kind)?.get(id);
  }

  /** The value that a field will have. */
  value(kind: Kind, id: number, field: string): string | undefined {
    const after = this.restored.get(kind)?.get(id)?.after.get(field);
    return after ?? this.row(kind, id)?.get(field);
  }

  isRemoved = (kind: Kind, id: number): boolean => this.removed.get(kind)?.has(id) === true;

  isRevived = (kind: Kind, id: number): boolean => this.revived.get(kind)?.has(id) === true;

  /** Puts a value back, unless it is there already. */
  restore(kind: Kind, id: number, field: string, value: string): void {
    const revived = this.revived.get(kind)?.get(id);
    if (revived) {
      revived.set(field, value);
      return;
    }
    const present = this.row(kind, id)?.get(field) ?? 'null';
    if (present !== value) this.change(kind, id, field, present, value);
  }

  /** Has a field changed once all records are there. */
  change(kind: Kind, id: number, field: string, present: string, value: string): void {
    const records = this.restored.get(kind);
    const record = records?.get(id) ?? { before: new Map(), after: new Map() };
    record.before.set(field, present);
    record.after.set(field, value);
    records?.set(id, record);
  }

  /** Leaves a value as it is after all. */
  keep(kind: Kind, id: number, field: string): void {
    const record = this.restored.get(kind)?.get(id);
    record?.before.delete(field);
    record?.after.delete(field);
    if (record?.after.size === 0) this.restored.get(kind)?.delete(id);
  }
}
