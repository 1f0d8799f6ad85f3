/** The alerts and the dashboard that come with the service. */
import { readFileSync } from 'node:fs';
import yaml from 'js-yaml';
import { z } from 'zod';
import { evaluate, type Scraped } from './promql.ts';

const deploy = new URL('../../src/deploy/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, deploy), 'utf8');

const rulesForm = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Crm[A-Z]\w+$/),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[sm]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'warning', 'info']) }),
          annotations: z.strictObject({ summary: z.string() }),
        }),
      ),
    }),
  ),
});

const dashboardForm = z.looseObject({
  title: z.string(),
  panels: z.array(
    z.looseObject({
      title: z.string(),
      targets: z.array(z.looseObject({ expr: z.string() })).optional(),
    }),
  ),
});

export const alerts = rulesForm
  .parse(yaml.load(read('prometheus-rules.yaml')))
  .groups.flatMap(({ rules }) => rules);

export type Alert = (typeof alerts)[number];

/** The queries of each panel of the dashboard, by its title. */
export const panels: ReadonlyMap<string, readonly string[]> = new Map(
  dashboardForm
    .parse(JSON.parse(read('grafana/sales-crm.json')))
    .panels.map(({ title, targets = [] }) => [title, targets.map(({ expr }) => expr)]),
);

const secondsOf = ({ for: text = '0s' }: Alert): number =>
  Number(text.slice(0, -1)) * (text.endsWith('m') ? 60 : 1);

/** Which alerts fire, as Prometheus decides: those whose query has found something for long enough. */
export class Watch {
  readonly #history: Scraped[] = [];
  readonly #since = new Map<string, number>();

  /** @returns the names of those that fire now */
  note(scraped: Scraped): readonly string[] {
    this.#history.push(scraped);
    return alerts
      .filter((alert) => {
        const isActive = evaluate(alert.expr, this.#history).length > 0;
        const since = isActive ? (this.#since.get(alert.alert) ?? scraped.at) : undefined;
        if (since === undefined) this.#since.delete(alert.alert);
        else this.#since.set(alert.alert, since);
        return since !== undefined && scraped.at - since >= secondsOf(alert);
      })
      .map(({ alert }) => alert);
  }

  /** Those whose query finds something now, however briefly. */
  get pending(): readonly string[] {
    return [...this.#since.keys()];
  }

  /** What a panel shows now, a list for each of its queries. */
  panel(title: string): readonly unknown[] {
    const queries = panels.get(title);
    if (!queries) throw new Error(`the dashboard has no panel ${title}`);
    return queries.map((query) => evaluate(query, this.#history));
  }
}
