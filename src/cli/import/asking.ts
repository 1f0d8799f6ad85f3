/** Asking a service over the network, for as long as it takes and no faster than it wants. */
import { CommandError } from '../failure.ts';
import { persisting, Temporary } from './persisting.ts';

/** So long may one answer take. */
const patienceMs = 60_000;

const worthAnother = new Set([408, 409, 429, 502, 503, 504]);

export interface Question {
  /** Beneath the base. */
  readonly path: string;
  /** As JSON; what has none is read. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns the text of an answer, undefined where there is no such thing */
export type Ask = (question: Question) => Promise<string | undefined>;

/**
 * @param base what paths lie beneath, with a slash at its end
 * @throws {CommandError} with what was answered, once that is no use to repeat
 */
export const asking =
  (base: URL, token: string): Ask =>
  ({ path, body, headers = {} }) =>
    persisting(async () => {
      const response = await fetch(new URL(path, base), {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          accept: 'application/json',
          authorization: `Bearer ${token}`,
          ...headers,
        },
        // The token is for nobody else.
        redirect: 'manual',
        signal: AbortSignal.timeout(patienceMs),
        ...(body === undefined ? {} : { body }),
      }).catch((error: unknown) => {
        const said = `${base.origin} cannot be reached: ${reasonOf(error)}`;
        throw isLasting(error) ? new CommandError(said) : new Temporary(said);
      });
      const text = await response.text().catch((error: unknown) => {
        throw new Temporary(`${base.origin} did not answer: ${reasonOf(error)}`);
      });
      if (response.ok) return text;
      if (response.status === 404) return undefined;
      const said = `${base.origin} answered ${response.status}: ${errorsIn(text)}`;
      if (!worthAnother.has(response.status)) throw new CommandError(said);
      throw new Temporary(said, secondsIn(response.headers.get('retry-after')));
    });

/** RFC 9110 has it as seconds or as a moment. */
function secondsIn(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? Number.NaN);
  if (!Number.isNaN(seconds)) return seconds;
  return (Date.parse(retryAfter ?? '') - Date.now()) / 1000;
}

const causeOf = (error: unknown): unknown =>
  error instanceof Error ? (error.cause ?? error) : error;

const reasonOf = (error: unknown): string => {
  const cause = causeOf(error);
  if (!(cause instanceof Error)) return String(cause);
  return isOfCertificate(cause) ? `${cause.message}. ${howToTrust}` : cause.message;
};

const howToTrust = 'NODE_EXTRA_CA_CERTS can name a file with the certificate to trust';

/** What OpenSSL and Node say of a certificate that they do not accept. */
const ofCertificate = /CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE/;

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : '';

const isOfCertificate = (cause: unknown): boolean => ofCertificate.test(codeOf(cause));

/** Whether asking again would come to the same: nobody has such a name, or the certificate is not accepted. */
const isLasting = (error: unknown): boolean => {
  const cause = causeOf(error);
  return codeOf(cause) === 'ENOTFOUND' || isOfCertificate(cause);
};

function errorsIn(text: string): string {
  try {
    const { errors }: { errors?: readonly string[] } = JSON.parse(text);
    return errors?.join('; ') ?? '';
  } catch {
    return text.slice(0, 200);
  }
}
