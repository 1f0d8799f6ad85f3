/** What was sent, what came back, and what of it was wrong. */

interface Coverage {
  sent: number;
  done: number;
}

interface OperationCoverage extends Coverage {
  /** What the last request was answered that was not done. */
  refusal: string;
}

interface Failure {
  count: number;
  readonly examples: string[];
}

const examples = 2;

export class Report {
  readonly #statuses = new Map<string, number>();
  readonly #totals = new Map<string, Coverage>();
  readonly #coverage = new Map<string, OperationCoverage>();
  readonly #failures = new Map<string, Failure>();

  /**
   * @param kind REST, GraphQL or what reads back
   * @param done whether what was asked was done
   */
  count(kind: string, status: number, done: boolean): void {
    const key = `${kind} ${status}${status < 300 && !done ? ', errors' : ''}`;
    this.#statuses.set(key, (this.#statuses.get(key) ?? 0) + 1);
    const total = this.#totals.get(kind) ?? { sent: 0, done: 0 };
    this.#totals.set(kind, total);
    total.sent += 1;
    if (done) total.done += 1;
  }

  /** @param answer as it came, to be shown of an operation that is never done */
  cover(operation: string, done: boolean, answer: string): void {
    const known = this.#coverage.get(operation) ?? { sent: 0, done: 0, refusal: '' };
    this.#coverage.set(operation, known);
    known.sent += 1;
    if (done) known.done += 1;
    else known.refusal = answer.slice(0, 300);
  }

  /** @param reason the same for failures of one kind */
  fail(reason: string, example: string): void {
    const kind = reason.replaceAll(/\d{4,}|[\da-f]{8}-[\da-f-]{27}/g, '…').slice(0, 300);
    const known = this.#failures.get(kind) ?? { count: 0, examples: [] };
    this.#failures.set(kind, known);
    known.count += 1;
    if (known.examples.length < examples) known.examples.push(example);
  }

  get failed(): boolean {
    return this.#failures.size > 0;
  }

  /** How many requests for an operation were done. */
  doneOf(operation: string): number {
    return this.#coverage.get(operation)?.done ?? 0;
  }

  /** Operations that were asked for and never done, each with what it was answered last. */
  get neverDone(): string[] {
    return [...this.#coverage]
      .filter(([, { done }]) => done === 0)
      .map(([name, { refusal }]) => `${name}: ${refusal}`);
  }

  lines(): string[] {
    const statuses = [...this.#statuses].sort(([one], [other]) => (one < other ? -1 : 1));
    const covered = [...this.#coverage].sort(([, one], [, other]) => one.done - other.done);
    return [
      'answers by status:',
      ...statuses.map(([status, count]) => `  ${status.padEnd(20)} ${count}`),
      'requests by operation, and how many of them were done:',
      ...covered.map(([name, { sent, done }]) => `  ${name.padEnd(42)} ${sent} ${done}`),
      ...[...this.#totals].map(
        ([kind, { sent, done }]) =>
          `${kind}: ${sent} answers, ${((done / sent) * 100).toFixed(0)} % of them of requests that were done`,
      ),
      ...[...this.#failures].flatMap(([kind, { count, examples: some }]) => [
        `\nFAILED ${count} times: ${kind}`,
        ...some,
      ]),
    ];
  }
}
