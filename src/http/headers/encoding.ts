/** The encodings that answers come in, the better one first. */
const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

/**
 * The encoding that a client would rather have; undefined when it wants none of ours.
 * @param accepted its `Accept-Encoding` (RFC 9110, 12.5.3)
 */
export function encodingFor(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined;
  const weights = new Map(accepted.toLowerCase().split(',').map(weighted));
  const weightOf = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const min = weights.get('identity') ?? 0;
  const [first] = encodings
    .filter((encoding) => weightOf(encoding) > 0 && weightOf(encoding) >= min)
    .sort((one, other) => weightOf(other) - weightOf(one));
  return first;
}

/** `gzip;q=0.5` as name and weight; a weight that cannot be read counts as 0. */
function weighted(text: string): [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return [name, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
}
