/** Where a client says that it sent its request: it gets into links, so that it must be nothing else. */
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { Fault } from '../../errors/errors.ts';

/**
 * A name or an address, with or without a port (RFC 3986, 3.2), except that names may not hold an
 * apostrophe.
 */
const form = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i;

/** The last valid host: most requests name the same. */
let latest: string | undefined;

function isHost(text: string): boolean {
  if (text === latest) return true;
  if (!form.test(text) || !URL.canParse(`https://${text}`)) return false;
  latest = text;
  return true;
}

const invalid = (header: string) =>
  new Fault('BAD_USER_INPUT', [
    `${header} must be a host name or an address, with a port or without`,
  ]);

/**
 * @returns why the request's host, or the one that a trusted proxy forwards, is invalid; undefined
 *   where both are valid
 */
export function refuseHost(request: FastifyRequest): Fault | undefined {
  const { raw, headers } = request;
  if (headers.host === undefined) {
    if (raw.httpVersionMinor !== 0) return new Fault('BAD_USER_INPUT', ['Host is missing']);
    // HTTP/1.0 knows no host: the client has reached us here.
    headers.host = addressOf(raw.socket);
  }
  if (!isHost(headers.host)) return invalid('Host');
  const { host } = request;
  return host === headers.host || isHost(host) ? undefined : invalid('X-Forwarded-Host');
}

const addressOf = ({ localAddress = '', localPort }: Socket): string =>
  `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
