/** The feed of changes, as its followers read it. */
import { askHorizon, type Horizon } from '../../src/resources/changes/horizon.ts';
import type { Answer } from './http.ts';
import type { Rest } from './rest.ts';
import { until } from './wait.ts';
import type { World } from './world.ts';

export interface Change {
  readonly cursor: string;
  readonly at: string;
  readonly action: 'create' | 'update' | 'delete' | 'reorder' | 'due';
  readonly record_type: string;
  readonly record_id: number;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly user_id: number | null;
  readonly token_id: number | null;
  readonly request_id: string;
  readonly restored?: true;
}

export interface ChangePage {
  readonly data: readonly Change[];
  readonly next: string;
  readonly more: boolean;
}

export type Parameters = Readonly<Record<string, string | number>>;

export const askChanges = (
  rest: Rest,
  parameters: Parameters = {},
): Promise<Answer<ChangePage>> => {
  const query = new URLSearchParams(
    Object.entries(parameters).map(([name, value]) => [name, String(value)]),
  );
  return rest.get<ChangePage>(`/changes?${query}`);
};

/** A page, which must be answered. */
export async function changes(rest: Rest, parameters: Parameters = {}): Promise<ChangePage> {
  const { status, body, text } = await askChanges(rest, parameters);
  if (status !== 200) throw new Error(`the feed answered ${status}: ${text}`);
  return body;
}

/** The cursor of this moment. */
export const now = async (rest: Rest): Promise<string> =>
  (await changes(rest, { after: 'now' })).next;

/**
 * Waits until the feed can show all that was written so far: what is at work elsewhere on the server may hold
 * it up.
 */
export async function caughtUp({ service: { database } }: Pick<World, 'service'>): Promise<void> {
  const [last] = await database.query<{ order: number }>(
    'SELECT max(change_order) AS order FROM audit_entries',
  );
  const ask = () => database.query<Horizon>(askHorizon.text);
  const isPast = ([horizon]: Horizon[]) => (horizon?.order ?? 0) > (last?.order ?? 0);
  if (!isPast(await until(ask, isPast, 60_000))) throw new Error('the feed stays behind');
}

/** Reads on until `count` changes have come: writes elsewhere on the server may hold them up. */
export async function read(
  rest: Rest,
  after: string,
  count: number,
  parameters: Parameters = {},
): Promise<ChangePage> {
  const data: Change[] = [];
  let next = after;
  for (let pages = 0; pages < 100; pages++) {
    const page = await changes(rest, { wait: 5, ...parameters, after: next });
    data.push(...page.data);
    next = page.next;
    if (data.length >= count) return { data, next, more: page.more };
  }
  throw new Error(`only ${data.length} changes came`);
}
