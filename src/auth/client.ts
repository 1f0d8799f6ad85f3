/**
 * The client that an address belongs to: for IPv6 the network (/64), because anyone who has one address of
 * it has them all.
 */
export function clientOf(ip: string): string {
  const [, plain] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  if (plain !== undefined) return plain;
  if (!ip.includes(':')) return ip;
  const [head = '', tail = ''] = ip.replace(/%.*$/, '').split('::');
  const [first, last] = [groups(head), groups(tail)];
  const between = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  const network = [...first, ...between, ...last].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

const groups = (text: string): readonly string[] => (text === '' ? [] : text.split(':'));
