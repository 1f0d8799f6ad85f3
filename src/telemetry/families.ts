/** Metrics whose values others count, and which are read when they are asked for. */
import { Gauge, type Registry } from 'prom-client';
import type { Histogram } from '../lib/histogram.ts';

type Labels = Readonly<Record<string, string | number>>;

/** A value, and what it is of. */
export type Sample = readonly [labels: Labels, value: number | Histogram];

export interface Family {
  /** By OpenTelemetry's conventions where they have one, as Prometheus writes it. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** What several workers' values come to together; their sum unless given. */
  readonly aggregator?: 'max' | 'min';
  /** Without samples the metric is left out. */
  readonly read: () => Iterable<Sample> | Promise<Iterable<Sample>>;
}

/** Adds metrics to a registry. */
export function addFamilies(to: Registry, families: readonly Family[]): void {
  for (const family of families) new FamilyMetric(to, family);
}

/** One value without labels. */
export const single = (value: number | undefined): readonly Sample[] =>
  value === undefined ? [] : [[{}, value]];

/** The library's own metrics hold their values themselves; of these nothing is asked but the values. */
class FamilyMetric extends Gauge {
  readonly #family: Family;

  constructor(register: Registry, family: Family) {
    const { name, help, type, aggregator } = family;
    super({ name, help, registers: [register], ...(aggregator && { aggregator }) });
    this.#family = family;
    // The library writes any metric as its values say.
    Object.assign(this, { type });
  }

  override async get() {
    return { ...(await super.get()), values: await valuesOf(this.#family) };
  }
}

async function valuesOf({ name, read }: Family) {
  return [...(await read())].flatMap(([labels, value]) =>
    typeof value === 'number' ? [{ labels, value }] : histogramValues(name, labels, value),
  );
}

/** As Prometheus has them: each bucket counts those below it as well. */
function histogramValues(name: string, labels: Labels, { bounds, counts, sum }: Histogram) {
  let count = 0;
  const buckets = counts.map((own, at) => {
    count += own;
    const le = bounds[at] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
