/**
 * Reads where browsers reach the service: `https://crm.example.com`, with or without a port, and followed by
 * nothing but a slash.
 * @returns the origin as browsers write it, without the slash; undefined where the text is not an origin, or
 *   not https, which only `localhost` need not be
 */
export function readOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, origin, href } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
  return isSafe && href === `${origin}/` ? origin : undefined;
}
