/** What else gives PostgreSQL an interface, and how it is compared with the service. */
import type { Bench } from '../database.ts';
import type { Asked } from '../measure.ts';
import { account } from '../operations/operation.ts';
import type { Target } from '../processes.ts';
import type { Seed } from '../seed.ts';

/** Where a peer is at home. */
export interface Home {
  /** Its packages are in `node_modules` there. */
  readonly folder: string;
  /** Its own database, of the contacts that the service has. */
  readonly url: string;
  readonly bench: Bench;
}

export interface Peer {
  readonly name: string;
  readonly version: string;
  /** The one of its packages that has to be compiled. */
  readonly compiled?: string;
  readonly start: (home: Home) => Promise<Target>;
  /** What its requests carry; the token of the service when not given. */
  readonly token?: string;
  readonly pairsOn: (seed: Seed) => readonly Pair[];
}

/** The same asked of both. */
export interface Pair {
  readonly name: string;
  readonly ours: Side;
  readonly theirs: Side;
}

interface Side extends Omit<Asked, 'name'> {
  /** What the other side must answer as well. */
  readonly told: (text: string) => unknown;
}

/** A contact by what all of them have of it. */
export interface Contact {
  readonly full_name: string;
  readonly email: string;
  readonly label_list: unknown;
  readonly custom_attributes: unknown;
}

export const shown = ({ full_name, email, label_list, custom_attributes }: Contact) => ({
  full_name,
  email,
  label_list,
  custom_attributes,
});

/** The contact of the nth request. */
export const idOf = ({ contactId }: Seed, n: number) => contactId(account, n * 7);

export const emailOf = (seed: Seed, n: number) => `c${idOf(seed, n)}@example.com`;

export const newContact = (n: number) => ({
  full_name: `New Contact ${n}`,
  email: `new${n}@example.com`,
  label_list: ['lead'],
  custom_attributes: { source: 'form', score: n % 100 },
});
