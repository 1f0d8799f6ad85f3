/** Events whose own fields name what they belong to, because no path does. */
import { faultsOf } from '../../context/context.ts';
import { blank } from '../../errors/codes.ts';
import type { Fault, UnknownInput } from '../../errors/errors.ts';
import { type Input, readNew } from '../kernel/fields/input.ts';
import type { Create } from '../kernel/write/write.ts';
import { events } from './record.ts';
import { createContactEvent, createDealEvent } from './verbs.ts';

/** The deal that an event names, else its contact; undefined when it names neither. */
export function ownerIn({
  deal_id,
  contact_id,
}: Input): { readonly of: 'deal' | 'contact'; readonly id: unknown } | undefined {
  if (isNamed(deal_id)) return { of: 'deal', id: deal_id };
  return isNamed(contact_id) ? { of: 'contact', id: contact_id } : undefined;
}

const isNamed = (id: unknown): boolean => id !== undefined && id !== null && id !== '';

/** The refusal of an event that names neither, with whatever else is wrong. */
export function unowned(input: Input, misplaced: readonly UnknownInput[]): Fault {
  const faults = faultsOf({ misplaced });
  readNew(input, events.fields, faults);
  faults.add('contact_id', blank);
  return faults.fault();
}

/**
 * Creates an event of the deal that its fields name, else of their contact.
 * @throws {Fault} as where a path does; VALIDATION_FAILED on `contact_id` when they name neither
 */
export const createEvent: Create = async (ctx, account, input, selection) => {
  const owner = ownerIn(input);
  if (!owner) throw unowned(input, ctx.misplaced);
  const create = owner.of === 'deal' ? createDealEvent : createContactEvent;
  return create(ctx, account, owner.id, input, selection);
};
