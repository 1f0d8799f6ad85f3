/** All tools, and which of them a token is shown. */
import { LRUCache } from 'lru-cache';
import { rightOf } from '../auth/policy.ts';
import { allows } from '../auth/scopes.ts';
import { rightsOf, type Viewer } from '../auth/viewer.ts';
import { type Fault, forbidden, InsufficientScope } from '../errors/errors.ts';
import { resourceNamed } from './resources.ts';
import type { Effect, Tool } from './tool.ts';
import { describe } from './tools/describe.ts';
import { figures } from './tools/figures.ts';
import { get } from './tools/get.ts';
import { find, history, search } from './tools/read.ts';
import { removers } from './tools/remove.ts';
import { writers } from './tools/write.ts';

export const tools: readonly Tool[] = [
  describe,
  find,
  search,
  get,
  ...figures,
  history,
  ...writers,
  ...removers,
];

/** What clients are told of a tool's effect, so that they ask their users where it matters. */
const hints: Readonly<Record<Effect, object>> = {
  reads: { readOnlyHint: true },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  removes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
};

const lists = new LRUCache<string, string>({ max: 100 });

/** The tools that a viewer may use, as JSON text: an array. */
export function toolList(viewer: Viewer): string {
  const key = `${rightsOf(viewer)} ${viewer.tokenId === null}`;
  let text = lists.get(key);
  if (text === undefined) {
    const open = tools.flatMap(({ name, title, description, effect, schema }) => {
      const inputSchema = schema(viewer);
      if (!inputSchema) return [];
      const annotations = { ...hints[effect], openWorldHint: false };
      return { name, title, description, inputSchema, annotations };
    });
    text = JSON.stringify(open);
    lists.set(key, text);
  }
  return text;
}

export const toolNamed = (name: unknown): Tool | undefined =>
  tools.find((tool) => tool.name === name);

/**
 * Why a viewer may not use a tool that it is not shown.
 * @param name of the resource that it names
 */
export function refusalOf({ effect, needs }: Tool, viewer: Viewer, name: unknown): Fault {
  const resource = resourceNamed(name);
  const { search, batch, create, update, remove } = resource ?? {};
  const route = {
    reads: search,
    adds: create,
    changes: batch ?? create ?? update,
    removes: remove,
  };
  const action = needs ?? route[effect]?.action;
  const scope = action === undefined ? null : rightOf(action).scope;
  return scope === null || allows(viewer.scopes, scope)
    ? forbidden()
    : new InsufficientScope([scope]);
}
