/** The user on whose behalf a call is made, as its token proves. */
export interface Viewer {
  readonly accountId: number;
  readonly userId: number;
  readonly tokenId: number;
  readonly role: 'admin' | 'member';
  /** Of the account: the country that phone numbers without a country code are read in. */
  readonly defaultCountry: string | null;
}

/** Whoever remembers viewers. */
export interface Viewers {
  /**
   * Forgets a user of an account, or all of them: who they are is asked anew from now on. To be called
   * once what has changed is committed; other processes notice within five seconds.
   */
  forget(accountId: number, userId?: number): void;
}
