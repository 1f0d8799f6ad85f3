/** Which record here is which one there. */
import type { Context } from '../../../context.ts';
import { asId } from '../../../integer.ts';
import { contacts } from '../../../resources/contacts/record.ts';
import { deals } from '../../../resources/deals/record.ts';
import { attributedAfter } from '../../../resources/kernel/attributed.ts';
import { products } from '../../../resources/products/record.ts';

const resources = { contacts, products, deals };

/** Kinds of records that others refer to. */
export type Referred = keyof typeof resources;

/** So many records are read at once. */
const partSize = 10_000;

/** Ids here by ids there; some fifty bytes of memory each. */
export type Ids = Map<number, number>;

/**
 * What the account has of another system already, from this import of it or one before.
 * @param key of the custom attribute that holds the id that a record has there
 */
export async function knownOf(ctx: Context, kind: Referred, key: string): Promise<Ids> {
  const ids: Ids = new Map();
  for (let after = 0; ; ) {
    const part = await attributedAfter(ctx, resources[kind], key, after, partSize);
    for (const { id, value } of part) {
      const there = asId(value);
      if (there !== undefined) ids.set(there, id);
    }
    if (part.length < partSize) return ids;
    after = part.at(-1)?.id ?? after;
  }
}
