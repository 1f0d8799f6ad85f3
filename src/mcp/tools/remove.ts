/** Tools that take away or take back, which have to be called twice. */
import { isAllowed, mergeActions } from '../../auth/policy.ts';
import type { Viewer } from '../../auth/viewer.ts';
import type { Context } from '../../context/context.ts';
import { rehearse } from '../../context/dry_run.ts';
import { invalid, notFound } from '../../errors/errors.ts';
import { prepareOwn, readData } from '../../graphql/documents.ts';
import { type JsonObject, stringifyJson } from '../../json/json.ts';
import { memoize } from '../../lib/memoize.ts';
import { callerOf } from '../../rest/call.ts';
import { type Argument, argumentsOf } from '../arguments.ts';
import { confirmationOf, type Intent, requireConfirmation } from '../confirmation.ts';
import { writeOnce } from '../once.ts';
import {
  labelOf,
  mayRead,
  nestedIn,
  openTo,
  type Resource,
  resourceNamed,
  valuesOf,
} from '../resources.ts';
import { cutToFit, type ToolResult } from '../result.ts';
import type { Tool, ToolCall } from '../tool.ts';
import { eachAlone, outcomeOf, writing } from './write.ts';

const confirming = {
  confirm: { type: 'string', description: 'Code of the call before' },
  key: writing.key,
} as const satisfies Readonly<Record<string, Argument>>;

const callers = memoize(callerOf);

/**
 * Asks before it does something: without a code it tells what would happen, and gives one.
 * @param would what would happen, which the code is bound to
 */
async function confirmed(
  call: ToolCall,
  tool: string,
  would: () => Promise<JsonObject>,
  act: (context: Context) => Promise<ToolResult>,
): Promise<ToolResult> {
  const { args, rest, encryption } = call;
  const code = args.text('confirm');
  const intent = (state: JsonObject): Intent => ({
    viewer: rest.viewer,
    tool,
    args: args.textWithout('confirm', 'key'),
    state: stringifyJson(state),
  });
  if (code === undefined) {
    const state = await would();
    const confirm = confirmationOf(encryption, intent(state), Date.now());
    const next = 'Nothing has happened yet. Call again with the same arguments and confirm';
    const outcome: JsonObject = JSON.parse(cutToFit(stringifyJson({ would: state })));
    return { text: stringifyJson({ confirm, next, ...outcome }), hasRecords: true };
  }
  return writeOnce(call, tool, async (context) => {
    requireConfirmation(encryption, intent(await would()), code, Date.now());
    return act(context);
  });
}

/** The records that would go, with how many go along with each. */
async function recordsToGo({ client }: ToolCall, resource: Resource, ids: readonly number[]) {
  const { search, type } = resource;
  if (!search || !mayRead(client.viewer, type)) return ids.map((id) => ({ id }));
  const counts = nestedIn(type).flatMap(({ count, type: of }) =>
    count !== undefined && mayRead(client.viewer, of) ? [count] : [],
  );
  const label = labelOf(type);
  const fields = [
    'id',
    ...(label ? [label] : []),
    ...(type.getFields().version ? ['version'] : []),
    ...counts,
  ];
  const data = await readData(
    `query ($account: Integer!, $query: SearchQuery) { ${search.operation}(account_id: $account, query: $query, per_page: 50, count: "none") { data { ${fields.join(' ')} } } }`,
    client,
    { account: client.viewer.accountId, query: { id_in: ids } },
  );
  const page: unknown = JSON.parse(stringifyJson(data[search.operation]));
  return Object(page).data;
}

/** Removes records as single calls would. */
async function removeAll(
  context: Context,
  { batch, remove }: Resource,
  ids: readonly number[],
): Promise<unknown> {
  if (batch) {
    const records = ids.map((id) => ({ id }));
    return (await callers(batch)(context, { body: { operation: 'delete', records } })).body;
  }
  if (!remove) throw notFound();
  const removing = callers(remove);
  return {
    results: await eachAlone(
      ids.map((id) => ({ id })),
      async ({ id }) => ({
        status: (await removing(context, { params: { id: String(id) } })).status,
        id: Number(id),
      }),
    ),
  };
}

const mayMerge = (viewer: Viewer): boolean =>
  mergeActions.every((action) => isAllowed(viewer, action));

const merging = {
  into: { type: 'integer', description: 'Contacts alone: the one that they are merged into' },
  prefer: { type: 'object', description: 'With into: {"email": id whose value counts}' },
} as const satisfies Readonly<Record<string, Argument>>;

/** What is another each time that a merge is tried. */
const moves: ReadonlySet<string> = new Set(['updated_at', 'version']);

/** Merges records into one, as its route does; they go, and what belongs to them stays. */
async function mergeAll(
  context: Context,
  { args }: ToolCall,
  { merge }: Resource,
  into: number,
): Promise<JsonObject> {
  if (!merge) throw invalid('into', 'is of contacts alone');
  const prefer = args.object('prefer');
  const { payload } = await callers(merge)(context, {
    params: { id: String(into) },
    body: { from: args.integers('ids'), ...(prefer && { prefer }) },
  });
  return JSON.parse(stringifyJson(payload));
}

const remove: Tool = {
  name: 'remove',
  title: 'Remove or merge records',
  description:
    'Removes up to 50 records with what belongs to them, or merges contacts into one. The first call only tells what would go and gives a confirm code, valid for five minutes; call again with it.',
  effect: 'removes',
  schema: (viewer) => {
    const open = openTo(viewer, 'remove');
    if (open.length === 0) return undefined;
    return argumentsOf(
      {
        resource: { type: 'string', enum: open.map(({ name }) => name) },
        ids: { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 50 },
        ...(mayMerge(viewer) && merging),
        ...confirming,
      },
      ['resource', 'ids'],
    );
  },
  run(call) {
    const resource = resourceNamed(call.args.text('resource'));
    if (!resource) throw notFound();
    const ids = [...new Set(call.args.integers('ids'))];
    const into = call.args.integer('into');
    if (into !== undefined) {
      const tried = async (): Promise<JsonObject> => {
        const merge = (context: Context) => mergeAll(context, call, resource, into);
        const merged = await rehearse(call.rest, merge);
        // What moves along bears the moment of the call.
        const own = valuesOf(call.client.viewer, resource.type).filter(
          (field) => field in merged && !moves.has(field),
        );
        const becomes = Object.fromEntries(own.map((field) => [field, merged[field]]));
        return { merge: await recordsToGo(call, resource, [into, ...ids]), becomes };
      };
      return confirmed(call, 'remove', tried, async (context) => ({
        text: stringifyJson(await mergeAll(context, call, resource, into)),
        hasRecords: true,
      }));
    }
    const would = async (): Promise<JsonObject> => {
      const tried: unknown = await rehearse(call.rest, (context) =>
        removeAll(context, resource, ids),
      );
      const { results } = Object(tried);
      return { remove: await recordsToGo(call, resource, ids), results };
    };
    return confirmed(call, 'remove', would, async (context) =>
      outcomeOf(await removeAll(context, resource, ids)),
    );
  },
};

const reversal = `mutation ($account: Integer!, $input: ReversalInput!) {
  revert_changes(account_id: $account, input: $input) {
    reverted changes { record_type record_id action before after }
    conflicts_count conflicts { record_type record_id fields reason } request_id
  }
}`;

/** What taking back would do, without the id of the request that asks. */
interface Reversal {
  readonly reverted: number;
  readonly changes: readonly unknown[];
  readonly conflicts_count: number;
  readonly conflicts: readonly unknown[];
}

const revert = prepareOwn(reversal);

/** @throws what the use case throws */
async function takeBack(
  context: Context,
  input: JsonObject,
): Promise<Reversal & { readonly request_id: string }> {
  const { data, errors } = await revert(context, { account: context.viewer.accountId, input });
  const [error] = errors ?? [];
  if (error) throw error.originalError ?? error;
  return JSON.parse(stringifyJson(Object(data).revert_changes));
}

const undo: Tool = {
  name: 'undo',
  title: 'Take back own changes',
  description:
    'Takes back what this very token changed: all of it, since a moment (after), or one request (request_id). What others have changed since stays. The first call only tells, and gives a confirm code; call again with it.',
  effect: 'removes',
  schema: (viewer) =>
    viewer.tokenId !== null && openTo(viewer, 'write').length > 0
      ? argumentsOf({
          after: { type: 'string', description: '2026-03-01T10:00:00Z' },
          before: { type: 'string' },
          request_id: { type: 'string' },
          ...confirming,
        })
      : undefined,
  run(call) {
    const { args, rest } = call;
    const chosen = ['after', 'before', 'request_id'].flatMap((name) =>
      args.has(name) ? [[name, args.text(name)] as const] : [],
    );
    const input = { ...Object.fromEntries(chosen), token_id: rest.viewer.tokenId };
    const would = async (): Promise<JsonObject> => {
      const { request_id: _, ...tried } = await takeBack(rest, { ...input, dry_run: true });
      return { ...tried };
    };
    return confirmed(call, 'undo', would, async (context) => {
      const { reverted, conflicts_count, conflicts, request_id } = await takeBack(context, input);
      const answer = { reverted, conflicts_count, conflicts, request_id };
      return { text: cutToFit(stringifyJson(answer)) };
    });
  },
};

export const removers: readonly Tool[] = [remove, undo];
