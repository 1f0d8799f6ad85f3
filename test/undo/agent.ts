/** A wild agent: it writes by tools what others write over REST, and is told to take it all back. */
import type { Mcp, ToolResult } from '../kit/mcp.ts';
import type { Rest } from '../kit/rest.ts';
import type { World } from '../kit/world.ts';
import { type Reversal, revert } from './revert.ts';
import type { Writer } from './writes.ts';

/** What a single call would have answered, of the one record that a tool was given. */
interface Outcome {
  readonly status: number;
  readonly id: number;
  readonly results?: readonly Outcome[];
}

/** The statuses of refusals that are none of a single record. */
const statuses: Readonly<Record<string, number>> = { internal: 500, unavailable: 503 };

function outcomeOf({ structuredContent: told, isError = false }: ToolResult): Outcome {
  const { results } = told;
  const [one = told] = results?.length === 1 ? results : [];
  const status = one.status ?? (isError ? (statuses[one.code] ?? 422) : 200);
  return { status, id: one.id, ...(results && { results }) };
}

/** Writes records by the tools of an agent, as the paths of REST name them. */
export class AgentWriter implements Writer {
  readonly rest: Rest;
  readonly #mcp: Mcp;

  constructor(mcp: Mcp, rest: Rest) {
    this.rest = rest;
    this.#mcp = mcp;
  }

  post: Writer['post'] = (path, body) => {
    const [, table = '', of, inner] = path.split('/');
    if (of === 'batch') {
      const { operation, records, atomic } = body;
      if (operation === 'delete') return this.#remove(table, idsOf(records));
      return this.#use('write', { resource: table, operation, records, atomic });
    }
    if (inner === undefined) return this.#use('write', writing(table, 'create', body));
    if (inner === 'merge') {
      return this.#remove(table, body.from, { into: Number(of), prefer: body.prefer });
    }
    const place = table === 'deals' ? 'deal_id' : 'contact_id';
    return this.#use('note', { ...body, [place]: Number(of) });
  };

  put: Writer['put'] = (path, body) => {
    const [, table = '', id] = path.split('/');
    return this.#use('write', writing(table, 'update', { ...body, id: Number(id) }));
  };

  delete: Writer['delete'] = (path) => {
    const [, resource = '', id] = path.split('/');
    return this.#remove(resource, [Number(id)]);
  };

  /** First it is told what would go. */
  async #remove(resource: string, ids: unknown, merging: object = {}) {
    const removal = { resource, ids, ...merging };
    const first = await this.#mcp.call('remove', removal);
    const { confirm } = first.structuredContent;
    if (confirm === undefined) return told(first, ['remove', removal]);
    return this.#use('remove', { ...removal, confirm });
  }

  async #use(tool: string, args: object) {
    return told(await this.#mcp.call(tool, args), [tool, args]);
  }
}

function told(result: ToolResult, asked: unknown) {
  const { status, id, results } = outcomeOf(result);
  return { status, body: { id, ...(results && { results }) }, text: JSON.stringify(result), asked };
}

const idsOf = (records: unknown): readonly unknown[] =>
  Array.isArray(records) ? records.map(({ id }) => id) : [];

const writing = (resource: string, operation: string, record: object) => ({
  resource,
  operation,
  records: [record],
});

/**
 * Takes all back that an agent's token changed, by its own tool. That shows the first of many conflicts alone, so they
 * are those that an admin is told of before.
 */
export async function undoneBy(agent: Mcp, w: World, token_id: number): Promise<Reversal> {
  const foreseen = await revert(w, { token_id, dry_run: true });
  const { confirm } = await agent.use('undo');
  const told = await agent.use('undo', { confirm });
  const counts = ({ reverted, conflicts_count }: Reversal) => [reverted, conflicts_count];
  if (String(counts(told)) !== String(counts(foreseen))) {
    throw new Error(`foreseen were ${counts(foreseen)}, and done ${counts(told)}`);
  }
  return { ...foreseen, request_id: told.request_id };
}
