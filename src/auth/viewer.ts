import type { Scopes } from './scopes.ts';

/** The user on whose behalf a call is made, as its token or its session proves. */
export interface Viewer {
  readonly accountId: number;
  readonly userId: number;
  /** Null for a person who signed in, and for the service's operator. */
  readonly tokenId: number | null;
  /** Null with a token, and for the service's operator. */
  readonly sessionId: number | null;
  readonly role: 'admin' | 'member';
  /** What the token was given of that; everything without a token. */
  readonly scopes: Scopes;
  /** Of the account: the country that phone numbers without a country code are read in. */
  readonly defaultCountry: string | null;
}

/** What a viewer may do in its account, as a text: viewers with the same text may see the same. */
export const rightsOf = ({ role, scopes }: Viewer): string =>
  `${role} ${[...scopes.given].sort().join(' ')}`;

/** A cache of viewers. */
export interface Viewers {
  /**
   * Forgets a user of an account, or all of them: they are looked up again from now on. To be called once the
   * change is committed; other processes notice within five seconds.
   */
  forget(accountId: number, userId?: number): void;
}
