/** What is there of the records that are to be put back, and what stands around them. */
import type { ShapeName } from '../../db/sql/shape.ts';
import type { Kind } from './kinds.ts';
import type { Lists } from './lines.ts';
import type { Row } from './runs.ts';

export interface Contents {
  /** Of each record that may change, the fields in question. */
  readonly rows: ReadonlyMap<Kind, ReadonlyMap<number, Row>>;
  /** By `deal contact_id` and the like: records that others refer to which nobody asks about. */
  readonly references: ReadonlyMap<string, ReadonlySet<number>>;
  /** Records that are there of those that values to put back refer to. */
  readonly known: ReadonlyMap<ShapeName, ReadonlySet<number>>;
  /** Deals by stage, stages by pipeline; and of each stage its pipeline, of each deal its rank if it is to be written. */
  readonly deals: Lists;
  readonly stages: Lists;
  readonly pipelines: ReadonlyMap<number, number>;
  readonly ranks: ReadonlyMap<number, number>;
  /** Products of the deals whose totals may change; events of those that may get another contact. */
  readonly products: Lists;
  readonly events: Lists;
  /** Contacts that have an e-mail or a phone which is to be put back: as JSON texts. */
  readonly contacts: ReadonlyMap<number, { readonly email: string; readonly phone: string }>;
  /** By `deal 7` and the like, when a record was created and last changed of whose removal the trail does not say it. */
  readonly moments: ReadonlyMap<string, Row>;
  /** Ids of assignments by `deal user`, of the deals of those that are to be put back. */
  readonly assigned: ReadonlyMap<string, number>;
}
