/** The user on whose behalf a call is made, as its token proves. */
export interface Viewer {
  readonly accountId: number;
  readonly userId: number;
  readonly tokenId: number;
  readonly role: 'admin' | 'member';
  /** Of the account: the country that phone numbers without a country code are read in. */
  readonly defaultCountry: string | null;
}
