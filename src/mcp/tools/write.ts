/** Tools that write records. */
import { isAllowed } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import { coded, notInList } from '../../errors/codes.ts';
import { codes, Fault, invalid, notFound } from '../../errors/errors.ts';
import { isJsonObject, type JsonObject, stringifyJson } from '../../json/json.ts';
import { memoize } from '../../lib/memoize.ts';
import { callerOf } from '../../rest/call.ts';
import { type Route, routes } from '../../rest/routes.ts';
import { type Argument, argumentsOf } from '../arguments.ts';
import { writeOnce } from '../once.ts';
import { openTo, operations, operationsOf, type Resource, resourceNamed } from '../resources.ts';
import { cutToFit, type ToolResult } from '../result.ts';
import type { Tool } from '../tool.ts';

/** What every tool that writes takes. */
export const writing = {
  dry_run: { type: 'boolean', description: 'Store nothing' },
  key: { type: 'string', description: 'Idempotency key' },
} as const satisfies Readonly<Record<string, Argument>>;

const callers = memoize(callerOf);

/** What became of one record, as batches tell it. */
export interface Outcome {
  readonly index: number;
  readonly status: number;
  readonly id: number | null;
  readonly code?: string;
  readonly errors?: readonly string[];
  readonly fields?: unknown;
  readonly codes?: unknown;
}

/** Does the same to records of a resource that has no batches, one after the other. */
export async function eachAlone(
  records: readonly unknown[],
  one: (record: JsonObject) => Promise<{ readonly status: number; readonly id: number }>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [index, record] of records.entries()) {
    try {
      if (!isJsonObject(record)) throw invalid('body', 'must be an object');
      outcomes.push({ index, ...(await one(record)) });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { status, code } = codes[error.code];
      if (status >= 500) throw error;
      const { fields, fieldCodes } = error;
      outcomes.push({
        index,
        status,
        id: null,
        code,
        errors: error.messages,
        ...(fields && { fields }),
        ...(fieldCodes && { codes: fieldCodes }),
      });
    }
  }
  return outcomes;
}

/** Results of a batch as a tool answers: an error where nothing was done. */
export function outcomeOf(body: unknown): ToolResult {
  const { results } = Object(body);
  const all: readonly Outcome[] = Array.isArray(results) ? results : [];
  const isError = all.length > 0 && all.every(({ status }) => status >= 400);
  return { text: cutToFit(stringifyJson(body)), isError };
}

async function writeAlone(
  context: Context,
  resource: Resource,
  operation: string,
  records: readonly unknown[],
) {
  const route = operation === 'create' ? resource.create : resource.update;
  if (!route) throw notFound();
  const results = await eachAlone(records, async ({ id, ...fields }) => {
    const isNew = operation === 'create';
    if (!isNew && (id === undefined || id === null))
      throw invalid('id', coded('blank', "can't be blank"));
    const { status, payload } = await callers(route)(context, {
      params: isNew ? {} : { id: String(id) },
      body: fields,
    });
    return { status, id: Number(Object(JSON.parse(stringifyJson(payload))).id) };
  });
  return { results };
}

const write: Tool = {
  name: 'write',
  title: 'Create or change records',
  description:
    'Creates, updates (each record with its id) or upserts (contacts by email or phone; deals by contact) 1 to 100 records of one resource. Only the fields sent change. Answers the status of each record.',
  effect: 'changes',
  schema: (viewer) => {
    const open = openTo(viewer, 'write');
    if (open.length === 0) return undefined;
    const known = new Set(open.flatMap((resource) => operationsOf(viewer, resource)));
    return argumentsOf(
      {
        resource: { type: 'string', enum: open.map(({ name }) => name) },
        operation: { type: 'string', enum: operations.filter((one) => known.has(one)) },
        records: { type: 'array', items: { type: 'object' }, minItems: 1, maxItems: 100 },
        atomic: { type: 'boolean', description: 'All or none' },
        ...writing,
      },
      ['resource', 'operation', 'records'],
    );
  },
  run(call) {
    const { args, rest } = call;
    const resource = resourceNamed(args.text('resource'));
    const operation = args.text('operation') ?? '';
    if (!resource) throw notFound();
    const known = operationsOf(rest.viewer, resource);
    if (!known.some((one) => one === operation)) throw invalid('operation', notInList(known));
    const { batch } = resource;
    const records = args.list('records');
    if (!batch && args.flag('atomic')) {
      throw invalid('atomic', 'cannot be true here: these records are written one by one');
    }
    return writeOnce(call, 'write', async (context) => {
      if (!batch) return outcomeOf(await writeAlone(context, resource, operation, records));
      const body = { operation, records, atomic: args.flag('atomic') };
      return outcomeOf((await callers(batch)(context, { body })).body);
    });
  },
};

const routeOf = (operation: string): Route => {
  const route = routes.find((one) => one.operation === operation);
  if (!route) throw new Error(`no route calls ${operation}`);
  return route;
};

const noteOf = {
  contact_id: routeOf('create_contact_event'),
  deal_id: routeOf('create_deal_event'),
} as const;

const note: Tool = {
  name: 'note',
  title: 'Note something',
  description:
    'Adds an event to a contact or a deal: a note, or an activity to do (scheduled_at) or done (done: true).',
  effect: 'adds',
  needs: noteOf.contact_id.action,
  schema: (viewer) =>
    isAllowed(viewer, noteOf.contact_id.action)
      ? argumentsOf(
          {
            contact_id: { type: 'integer' },
            deal_id: { type: 'integer' },
            kind: { type: 'string', enum: ['note', 'activity'], description: 'note by default' },
            title: { type: 'string' },
            content: { type: 'string', maxLength: 65_535 },
            scheduled_at: { type: 'string', description: '2026-03-01T10:00:00Z' },
            done: { type: 'boolean' },
            ...writing,
          },
          ['content'],
        )
      : undefined,
  run(call) {
    const { args } = call;
    const [contact, deal] = [args.integer('contact_id'), args.integer('deal_id')];
    if ((contact === undefined) === (deal === undefined)) {
      throw invalid('contact_id', 'or deal_id must be given, and not both');
    }
    const [place, id] =
      deal === undefined ? (['contact_id', contact] as const) : (['deal_id', deal] as const);
    const changes = ['title', 'content', 'scheduled_at'].flatMap((name) =>
      args.has(name) ? [[name, args.text(name)] as const] : [],
    );
    const body = {
      kind: args.text('kind') ?? 'note',
      ...Object.fromEntries(changes),
      ...(args.has('done') && { done: args.flag('done') }),
    };
    return writeOnce(call, 'note', async (context) => {
      const { status, payload } = await callers(noteOf[place])(context, {
        params: { [place]: String(id) },
        body,
      });
      const { id: noteId } = Object(JSON.parse(stringifyJson(payload)));
      return { text: stringifyJson({ status, id: noteId, [place]: id }) };
    });
  },
};

export const writers: readonly Tool[] = [write, note];
