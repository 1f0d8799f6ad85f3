/**
 * Reads where browsers reach the service: `https://crm.example.com`, with a port or without, and nothing behind
 * it but a slash.
 * @returns the origin as browsers write it, without the slash; undefined where the text is none, or one that
 *   browsers reach in plain text, unless it is this machine
 */
export function readOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, origin, href } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
  return isSafe && href === `${origin}/` ? origin : undefined;
}
