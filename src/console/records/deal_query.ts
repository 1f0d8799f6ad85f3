/** Plain filters of deals, as a query of the search language. */
import { who } from '../api/who.ts';
import { centsOf } from './amounts.ts';
import { createdWithin } from './created_within.ts';

/** Filters by their names in the address, none of which filters anything. */
export const noDealFilter = {
  /** Words of the deal's name and the contact's. */
  text: '',
  status: '',
  stage: '',
  /** The id of a user, or `me`. */
  owner: '',
  label: '',
  /** `none` for those for which nothing is planned. */
  step: '',
  /** Days for which nothing was done, as people type them. */
  idle: '',
  /** The first and the last day on which they were created, such as `2026-03-01`. */
  from: '',
  to: '',
  /** The least and the most amount, as people type it. */
  least: '',
  most: '',
  /** A custom attribute, and what its text has to contain. */
  attribute: '',
  value: '',
};

export type DealFilter = Readonly<typeof noDealFilter>;

export const dealQuery = (filter: DealFilter): Record<string, unknown> => ({
  q: filter.text,
  status_eq: filter.status,
  stage_id_eq: filter.stage,
  users_id_eq: filter.owner === 'me' ? who.value?.me.user.id : filter.owner,
  contact_label_list_eq: filter.label,
  has_next_step_false: filter.step === 'none' || '',
  total_deal_products_amount_in_cents_gteq: amountOf(filter.least),
  total_deal_products_amount_in_cents_lteq: amountOf(filter.most),
  g: idleQuery(filter.idle),
  ...attributeQuery(filter),
  ...createdWithin(filter),
});

/**
 * The conditions of a search for deals with which nothing was done for so many days, which takes a deal that old. What
 * is so many days ago is for the service to say, whenever it searches: a view that is saved stays true.
 */
function idleQuery(days: string) {
  if (!/^[1-9]\d{0,3}$/.test(days.trim())) return [];
  const since = `-P${days.trim()}D`;
  return [
    { created_at_lt: since },
    { m: 'or', last_activity_at_lt: since, last_activity_at_null: true },
  ];
}

/** The condition of a search for a custom attribute; none where either part is missing. */
export const attributeQuery = ({
  attribute,
  value,
}: {
  readonly attribute: string;
  readonly value: string;
}): Record<string, string> =>
  attribute && value ? { [`custom_attributes.${attribute}_cont`]: value } : {};

/** @returns cents; empty where no amount was typed, or not all of it yet */
function amountOf(typed: string): number | '' {
  try {
    return centsOf(typed, '');
  } catch {
    return '';
  }
}
