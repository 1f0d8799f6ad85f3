import { isIPv4 } from 'node:net';

/** What an IPv4 address begins with where a socket of IPv6 has it (RFC 4291, 2.5.5.2). */
const mapped = '::ffff:';

/**
 * The client that an address belongs to: for IPv6 the network (/64), because anyone who has one address of
 * it has them all.
 */
export function clientOf(ip: string): string {
  const plain = ip.slice(mapped.length);
  if (ip.toLowerCase().startsWith(mapped) && isIPv4(plain)) return plain;
  if (!ip.includes(':')) return ip;
  const [address = ''] = ip.split('%', 1);
  const [head = '', tail = ''] = address.split('::');
  const [first, last] = [groups(head), groups(tail)];
  const between = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  const network = [...first, ...between, ...last].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

const groups = (text: string): readonly string[] => (text === '' ? [] : text.split(':'));
