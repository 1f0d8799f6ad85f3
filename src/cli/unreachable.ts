/** Why a service over the network could not be asked, in words for who runs a command. */

/** What Node calls the faults of a certificate, which are there the next time, too. */
const ofCertificate = /CERT|UNABLE_TO_VERIFY_LEAF/;

/** Those of certificates that may be sound, and lead to no authority that is trusted. */
const untrusted = /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/;

const hint = '. NODE_EXTRA_CA_CERTS can name a file with the certificate to trust';

/**
 * What `fetch` failed with when nobody could be asked.
 * @returns what to say, and whether asking again is no use
 */
export function unreachable(
  origin: string,
  error: unknown,
): { readonly message: string; readonly lasts: boolean } {
  const cause = causeOf(error);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = `${origin} cannot be reached: ${reasonOf(error)}`;
  return {
    message: untrusted.test(code) ? message + hint : message,
    lasts: ofCertificate.test(code),
  };
}

const causeOf = (error: unknown): unknown =>
  error instanceof Error ? (error.cause ?? error) : error;

/** The reason behind what `fetch` says, which is the same of everything. */
export const reasonOf = (error: unknown): string => {
  const cause = causeOf(error);
  return cause instanceof Error ? cause.message : String(cause);
};
