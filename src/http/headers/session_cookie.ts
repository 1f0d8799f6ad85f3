/** The cookie of people who signed in, and from where it is taken. */
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { lasting } from '../../auth/sessions.ts';
import { Fault } from '../../errors/errors.ts';

/** With this prefix browsers take it over HTTPS alone, for all paths, and from this very host. */
const name = '__Host-session';

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/** @param secret what proves who it is */
export const sessionCookie = (secret: string): string =>
  `${name}=${secret}; Max-Age=${lasting.max}; ${attributes}`;

/** Makes a browser drop it. */
export const noSessionCookie = `${name}=; Max-Age=0; ${attributes}`;

const secretForm = /^[\w-]{43}$/;

/** The secret in a request's cookie; undefined without a cookie of ours. */
export const secretIn = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined =>
  headers.cookie
    ?.split(';')
    .map((pair) => pair.trimStart())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .find((value) => secretForm.test(value));

/**
 * Lets only pages of this service act for the person at the browser: a page of another site, or of
 * another host of ours, must neither read nor write nor sign anybody in.
 * @throws {Fault} FORBIDDEN unless the browser says that the request comes from this origin, by
 *   Fetch-Metadata, or by `Origin` where it knows none
 */
export function requireOwnPage({ headers, host }: Pick<FastifyRequest, 'headers' | 'host'>): void {
  const site = headers['sec-fetch-site'];
  const isOwn =
    site === undefined
      ? headers.origin?.toLowerCase() === `https://${host.toLowerCase()}`
      : site === 'same-origin';
  if (isOwn) return;
  throw new Fault('FORBIDDEN', [
    'People sign in, and are known by their cookie, on pages of this service alone: with Sec-Fetch-Site: same-origin, or its own Origin',
  ]);
}
