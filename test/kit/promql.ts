/**
 * As much of PromQL as the rules and the dashboard use, over scraped metrics: read by Prometheus's own grammar,
 * evaluated here. Unlike there, an increase is not stretched to the ends of its window.
 */
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import type { Series } from './metrics.ts';

/** What was scraped, and when, in seconds. */
export interface Scraped {
  readonly at: number;
  readonly series: readonly Series[];
}

type Labels = Readonly<Record<string, string>>;
type Vector = readonly { readonly labels: Labels; readonly value: number }[];
type Value = number | Vector;

/** @throws where the text is no PromQL */
export function parse(text: string): SyntaxNode {
  const tree = parser.parse(text);
  tree.iterate({
    enter: ({ type, from }) => {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${text}`);
    },
  });
  const expression = tree.topNode.firstChild;
  if (!expression) throw new Error('an empty query');
  return expression;
}

/** The metrics that a query names. */
export function metricsOf(text: string): readonly string[] {
  const found: string[] = [];
  parse(text)
    .cursor()
    .iterate(({ name, from, to }) => {
      if (name === 'Identifier') found.push(text.slice(from, to));
    });
  return found;
}

/** @param history the newest last */
export function evaluate(text: string, history: readonly Scraped[]): Vector {
  const value = new Query(text, history).of(parse(text));
  return typeof value === 'number' ? [{ labels: {}, value }] : value;
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

const operators: Readonly<Record<string, (one: number, other: number) => number>> = {
  Add: (one, other) => one + other,
  Sub: (one, other) => one - other,
  Mul: (one, other) => one * other,
  Div: (one, other) => one / other,
};

const comparisons: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  Gtr: (one, other) => one > other,
  Gte: (one, other) => one >= other,
  Lss: (one, other) => one < other,
  Eql: (one, other) => one === other,
};

const matchers: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  EqlSingle: (value, wanted) => value === wanted,
  Neq: (value, wanted) => value !== wanted,
  EqlRegex: (value, wanted) => new RegExp(`^(?:${wanted})$`).test(value),
  NeqRegex: (value, wanted) => !new RegExp(`^(?:${wanted})$`).test(value),
};

const overTime: Readonly<Record<string, (samples: readonly Sample[]) => number | undefined>> = {
  Increase: (samples) => (samples.length < 2 ? undefined : increaseOf(samples)),
  Rate: (samples) => {
    const seconds = (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0);
    return seconds > 0 ? increaseOf(samples) / seconds : undefined;
  },
  MinOverTime: (samples) => Math.min(...samples.map(({ value }) => value)),
  MaxOverTime: (samples) => Math.max(...samples.map(({ value }) => value)),
};

interface Sample {
  readonly at: number;
  readonly value: number;
}

/** A counter that falls has begun anew. */
const increaseOf = (samples: readonly Sample[]): number =>
  samples.slice(1).reduce((sum, { value }, n) => {
    const before = samples[n]?.value ?? 0;
    return sum + (value < before ? value : value - before);
  }, 0);

const keyOf = (labels: Labels): string => JSON.stringify(Object.entries(labels).sort());

class Query {
  readonly #text: string;
  readonly #history: readonly Scraped[];

  constructor(text: string, history: readonly Scraped[]) {
    this.#text = text;
    this.#history = history;
  }

  of(node: SyntaxNode): Value {
    switch (node.name) {
      case 'NumberDurationLiteral':
        return Number(this.#textOf(node));
      case 'ParenExpr':
        return this.of(required(node.firstChild));
      case 'VectorSelector': {
        const now = this.#history.at(-1);
        return now ? this.#select(node, now).map(({ labels, value }) => ({ labels, value })) : [];
      }
      case 'FunctionCall':
        return this.#call(node);
      case 'AggregateExpr':
        return this.#aggregate(node);
      case 'BinaryExpr':
        return this.#binary(node);
      default:
        throw new Error(`${node.name} is not evaluated: ${this.#text}`);
    }
  }

  #textOf({ from, to }: SyntaxNode): string {
    return this.#text.slice(from, to);
  }

  #select(node: SyntaxNode, { series }: Scraped): readonly Series[] {
    const name = this.#textOf(required(node.getChild('Identifier')));
    const conditions = (
      node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
    ).map((matcher) => ({
      label: this.#textOf(required(matcher.getChild('LabelName'))),
      isMatch: known(matchers, required(matcher.getChild('MatchOp')?.firstChild).name),
      wanted: String(JSON.parse(this.#textOf(required(matcher.getChild('StringLiteral'))))),
    }));
    return series.filter(
      (one) =>
        one.name === name &&
        conditions.every(({ label, isMatch, wanted }) => isMatch(one.labels[label] ?? '', wanted)),
    );
  }

  #call(node: SyntaxNode): Value {
    const name = required(node.getChild('FunctionIdentifier')?.firstChild).name;
    const body = required(node.getChild('FunctionCallBody'));
    if (name === 'HistogramQuantile') {
      const quantile = this.of(required(body.firstChild));
      const buckets = this.of(required(body.lastChild));
      if (typeof quantile !== 'number' || typeof buckets === 'number') throw new Error(this.#text);
      return quantileOf(quantile, buckets);
    }
    return this.#overTime(known(overTime, name), required(body.getChild('MatrixSelector')));
  }

  #overTime(work: (samples: readonly Sample[]) => number | undefined, matrix: SyntaxNode): Vector {
    const selector = required(matrix.getChild('VectorSelector'));
    const [, count, unit = ''] = /\[(\d+)([smh])\]$/.exec(this.#textOf(matrix)) ?? [];
    const since = (this.#history.at(-1)?.at ?? 0) - Number(count) * known(units, unit);
    const all = new Map<string, { labels: Labels; samples: Sample[] }>();
    for (const scraped of this.#history) {
      if (scraped.at < since) continue;
      for (const { labels, value } of this.#select(selector, scraped)) {
        const one = all.get(keyOf(labels)) ?? { labels, samples: [] };
        one.samples.push({ at: scraped.at, value });
        all.set(keyOf(labels), one);
      }
    }
    return [...all.values()].flatMap(({ labels, samples }) => {
      const value = work(samples);
      return value === undefined ? [] : [{ labels, value }];
    });
  }

  #aggregate(node: SyntaxNode): Vector {
    const name = required(node.getChild('AggregateOp')?.firstChild).name;
    const of = this.of(required(node.getChild('FunctionCallBody')?.firstChild));
    if (typeof of === 'number') throw new Error(this.#text);
    const grouping = node.getChild('AggregateModifier')?.getChild('GroupingLabels');
    const by = (grouping?.getChildren('LabelName') ?? []).map((label) => this.#textOf(label));
    const groups = new Map<string, { labels: Labels; values: number[] }>();
    for (const { labels, value } of of) {
      const own = Object.fromEntries(by.map((label) => [label, labels[label] ?? '']));
      const group = groups.get(keyOf(own)) ?? { labels: own, values: [] };
      group.values.push(value);
      groups.set(keyOf(own), group);
    }
    const joined: Readonly<Record<string, (values: readonly number[]) => number>> = {
      Sum: (values) => values.reduce((sum, value) => sum + value, 0),
      Max: (values) => Math.max(...values),
      Min: (values) => Math.min(...values),
    };
    const join = known(joined, name);
    return [...groups.values()].map(({ labels, values }) => ({ labels, value: join(values) }));
  }

  #binary(node: SyntaxNode): Value {
    const [one, other] = [this.of(required(node.firstChild)), this.of(required(node.lastChild))];
    const name = required(
      [...Object.keys(operators), ...Object.keys(comparisons), 'And', 'Unless'].find((each) =>
        node.getChild(each),
      ),
    );
    if (name === 'And' || name === 'Unless') {
      // Nothing but on () is used: whether there is anything at all.
      const isThere = typeof other === 'number' || other.length > 0;
      return isThere === (name === 'And') ? one : [];
    }
    const compare = comparisons[name];
    const work = operators[name];
    const pairs = pairsOf(one, other);
    if (compare) return pairs.filter(({ left, right }) => compare(left, right)).map(leftOf);
    const worked = pairs.map(({ labels, left, right }) => ({
      labels,
      value: required(work)(left, right),
    }));
    return typeof one === 'number' && typeof other === 'number' ? (worked[0]?.value ?? 0) : worked;
  }
}

interface Pair {
  readonly labels: Labels;
  readonly left: number;
  readonly right: number;
}

const leftOf = ({ labels, left }: Pair) => ({ labels, value: left });

/** Series of both sides with the same labels; a number goes with each. */
function pairsOf(one: Value, other: Value): readonly Pair[] {
  if (typeof one === 'number') {
    if (typeof other === 'number') return [{ labels: {}, left: one, right: other }];
    return other.map(({ labels, value }) => ({ labels, left: one, right: value }));
  }
  return one.flatMap(({ labels, value: left }) => {
    const right =
      typeof other === 'number'
        ? other
        : other.find((each) => keyOf(each.labels) === keyOf(labels))?.value;
    return right === undefined ? [] : [{ labels, left, right }];
  });
}

function quantileOf(quantile: number, buckets: Vector): Vector {
  const sorted = buckets
    .map(({ labels: { le = '' }, value }) => ({ to: le === '+Inf' ? Infinity : Number(le), value }))
    .sort((one, other) => one.to - other.to);
  const rank = quantile * (sorted.at(-1)?.value ?? 0);
  if (rank === 0) return [];
  const at = sorted.findIndex(({ value }) => value >= rank);
  const [below, own] = [sorted[at - 1] ?? { to: 0, value: 0 }, required(sorted[at])];
  if (own.to === Infinity) return [{ labels: {}, value: below.to }];
  const part = (rank - below.value) / (own.value - below.value);
  return [{ labels: {}, value: below.to + (own.to - below.to) * part }];
}

function required<T>(value: T | null | undefined): T {
  if (value === null || value === undefined)
    throw new Error('a query has another form than expected');
  return value;
}

function known<T>(table: Readonly<Record<string, T>>, name: string): T {
  const value = table[name];
  if (value === undefined) throw new Error(`${name} is not evaluated`);
  return value;
}
