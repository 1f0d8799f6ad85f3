/** Plain filters of deals, as a query of the search language. */
import { createdWithin } from './created_within.ts';

/** Filters by their names in the address, none of which filters anything. */
export const noDealFilter = {
  /** Words of the deal's name and the contact's. */
  text: '',
  status: '',
  stage: '',
  owner: '',
  label: '',
  /** The first and the last day on which they were created, such as `2026-03-01`. */
  from: '',
  to: '',
};

export type DealFilter = Readonly<typeof noDealFilter>;

export const dealQuery = (filter: DealFilter): Record<string, unknown> => ({
  q: filter.text,
  status_eq: filter.status,
  stage_id_eq: filter.stage,
  users_id_eq: filter.owner,
  contact_label_list_eq: filter.label,
  ...createdWithin(filter),
});
