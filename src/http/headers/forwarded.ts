/** What proxies say of where a request came from. */
import { isIP } from 'node:net';

/** An address to which a proxy has added the port. */
const withPort = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d+)?$/i;

function addressIn(entry: string): string | undefined {
  const [, v6, v4] = withPort.exec(entry) ?? [];
  const address = v6 ?? v4 ?? entry;
  // A zone means something on one machine alone, and can be any text.
  return isIP(address) !== 0 && !address.includes('%') ? address : undefined;
}

/**
 * Reads `X-Forwarded-For`, to which each proxy appends the address of its client. Whatever stands left of an
 * entry that is not an address comes from somebody unknown, and is ignored.
 * @returns the addresses after the last such entry, as a header; undefined where there are none, so that the
 *   connection's own address counts
 */
export function readForwarded(header: string): string | undefined {
  const addresses: string[] = [];
  for (const entry of header.split(',').reverse()) {
    const address = addressIn(entry.trim());
    if (address === undefined) break;
    addresses.push(address);
  }
  return addresses.length === 0 ? undefined : addresses.reverse().join(', ');
}
