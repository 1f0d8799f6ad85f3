/** What proxies say of where a request came from. */
import { isIP } from 'node:net';

/** An address of which a proxy tells the port, too. */
const withPort = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d+)?$/i;

function addressIn(entry: string): string | undefined {
  const [, v6, v4] = withPort.exec(entry) ?? [];
  const address = v6 ?? v4 ?? entry;
  // A zone means something on one machine alone, and can be any text.
  return isIP(address) !== 0 && !address.includes('%') ? address : undefined;
}

/**
 * Reads `X-Forwarded-For`, to which each proxy adds whom it heard. What is left of an entry that is no
 * address was told by nobody known.
 * @returns the header with addresses alone, those behind the last entry that is none; undefined where there are
 *   none, so that a request comes from its connection
 */
export function readForwarded(header: string): string | undefined {
  const addresses: string[] = [];
  for (const entry of header.split(',').reverse()) {
    const address = addressIn(entry.trim());
    if (address === undefined) break;
    addresses.unshift(address);
  }
  return addresses.length === 0 ? undefined : addresses.join(', ');
}
