/** What a service tells its operators, read as Prometheus reads it. */

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** @param port of `/metrics` */
export async function scrape(port: number): Promise<readonly Series[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  return (await answer.text()).split('\n').flatMap((text): readonly Series[] => {
    if (text === '' || text.startsWith('#')) return [];
    const [, name = '', labels = '', value = ''] = line.exec(text) ?? [];
    if (name === '') throw new Error(`not a line of metrics: ${text}`);
    const pairs = [...labels.matchAll(label)].map(([, key = '', of = '']) => [key, of]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** The sum of a metric's series with these labels; undefined when there is none. */
export function sumOf(
  all: readonly Series[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels);
  const found = all.filter(
    (one) => one.name === name && wanted.every(([key, value]) => one.labels[key] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
