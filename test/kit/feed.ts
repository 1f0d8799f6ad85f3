/** The feed of changes, as those who follow it read it. */
import type { Answer } from './http.ts';
import type { Rest } from './rest.ts';

export interface Change {
  readonly cursor: string;
  readonly at: string;
  readonly action: 'create' | 'update' | 'delete' | 'reorder';
  readonly record_type: string;
  readonly record_id: number;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly user_id: number | null;
  readonly token_id: number | null;
  readonly request_id: string;
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

/** Reads on until so many changes have come: what is written elsewhere on the server may hold them up. */
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
