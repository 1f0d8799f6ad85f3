/** Which record here is which one there. */
import type { UnitOfWork } from '../../../context/context.ts';
import { asId } from '../../../lib/integer.ts';
import { contacts } from '../../../resources/contacts/record.ts';
import { deals } from '../../../resources/deals/record.ts';
import { attributeValuesAfter } from '../../../resources/kernel/fields/attribute_values.ts';
import { products } from '../../../resources/products/record.ts';

const resources = { contacts, products, deals };

/** Kinds of records that others refer to. */
export type ReferenceKind = keyof typeof resources;

/** How many records one query reads. */
const partSize = 10_000;

/** Ids here by ids there. */
export type Ids = ReadonlyMap<number, number>;

/**
 * What the account has of a kind from another system already, by this import of it or any other;
 * some fifty bytes of memory each.
 */
export class IdMap {
  readonly #kind: ReferenceKind;
  readonly #key: string;
  readonly #ids = new Map<number, number>();
  #last = 0;

  /** @param key of the custom attribute that holds the id that a record has there */
  constructor(kind: ReferenceKind, key: string) {
    this.#kind = kind;
    this.#key = key;
  }

  get ids(): Ids {
    return this.#ids;
  }

  /** Reads what came since the last time: in a transaction that brings alone, all that there is. */
  async read(ctx: UnitOfWork): Promise<void> {
    for (;;) {
      const part = await attributeValuesAfter(
        ctx,
        resources[this.#kind],
        this.#key,
        this.#last,
        partSize,
      );
      for (const { id, value } of part) {
        const there = asId(value);
        if (there !== undefined) this.#ids.set(there, id);
      }
      this.#last = part.at(-1)?.id ?? this.#last;
      if (part.length < partSize) return;
    }
  }

  /** Notes a record that a dry run would have written: 0 is its id here. */
  rehearse(there: number): void {
    this.#ids.set(there, 0);
  }
}
