import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorize } from '../auth/policy.ts';
import type { Verifier } from '../auth/verifier.ts';
import { type Context, faultsOf } from '../context/context.ts';
import { rehearse } from '../context/dry_run.ts';
import type { AnswerOnce, KeyedRequest } from '../context/idempotency.ts';
import { recordIdsIn } from '../graphql/record_ids.ts';
import { identify, viewerOf } from '../http/authentication.ts';
import { isMergePatch } from '../http/body.ts';
import { wantsEvents } from '../http/event_stream.ts';
import { sendNotModified } from '../http/headers/compression.ts';
import { entityTag, isKnown, preconditionOf } from '../http/headers/etag.ts';
import {
  headersToKeep,
  keyedRequest,
  requireKey,
  sentKey,
} from '../http/headers/idempotency_key.ts';
import { isStrict, notePreference, wantsDryRun } from '../http/headers/preferences.ts';
import type { UnreadResponses } from '../http/limits/unread_responses.ts';
import { isJsonObject, stringifyJson } from '../json/json.ts';
import { stringifyLargeJson } from '../json/large_json.ts';
import { contextOfCall } from './call.ts';
import { setPageHeaders, withCursorRequest } from './cursor.ts';
import { type Follow, followCall } from './follow.ts';
import { type RouteResult, type RunRoute, runner } from './gateway.ts';
import { answerKeyed } from './idempotency.ts';
import { ignoredFieldsHeader } from './ignored_fields.ts';
import { locationOf } from './location.ts';
import { operations } from './operations.ts';
import { queryString } from './query_string.ts';
import { requestReader } from './read.ts';
import type { Params, Request } from './request.ts';
import { aliases, isWrite, type Route, routes } from './routes.ts';

export const prefix = '/api/v1/accounts/:account_id';

/** Bytes that a batch may have, unpacked. */
const maxBytes = 8 * 1024 * 1024;

export interface RestOptions {
  readonly verifier: Verifier;
  /** The context of a request's use cases. */
  readonly contextOf: (request: FastifyRequest) => Context;
  /** The changes of a route that can be followed. */
  readonly follow: Follow;
  readonly answers: UnreadResponses;
  /** Answers what comes with a key. */
  readonly once: AnswerOnce;
}

/** A route, and what its requests need, which is made once. */
interface PreparedRoute {
  readonly route: Route;
  readonly run: RunRoute;
  readonly read: ReturnType<typeof requestReader>;
  /** The records whose values an answer shows. */
  readonly recordsIn: (payload: object) => readonly string[];
  /** Beneath the account, where a record that it creates is read. */
  readonly location: string | undefined;
}

/** Adds every row of the route table to the server. */
export function addRest(server: FastifyInstance, options: RestOptions): void {
  for (const row of routes) {
    const [run, read] = [runner(row), requestReader(row)];
    const [recordsIn, location] = [recordIdsReader(row.operation), locationOf(row)];
    for (const route of [row, ...aliases(row)]) {
      server.route<{ Params: Params }>({
        method: route.method,
        url: prefix + route.path,
        config: {
          takesBody: route.body !== undefined && route.method !== 'GET',
          takesRecord: route.body === 'input',
        },
        ...(route.body === 'batch' && { bodyLimit: maxBytes }),
        onRequest: (request, reply, done) => {
          if (isDryRun(route, request)) notePreference(reply, 'dry-run');
          const identifying = identify(request, reply, options.verifier);
          if (identifying) identifying.then(() => done(), done);
          else done();
        },
        // The limit of a token's requests comes between the two.
        preParsing: (request, _reply, payload, done) => {
          authorize(viewerOf(request), request.params.account_id, route.action);
          done(null, payload);
        },
        handler: handle({ route, run, read, recordsIn, location }, options),
      });
    }
  }
}

const isDryRun = (route: Route, request: FastifyRequest): boolean =>
  isWrite(route) && wantsDryRun(request);

type Handler = (request: Request, reply: FastifyReply) => Promise<unknown>;

function handle(
  prepared: PreparedRoute,
  { contextOf, follow, answers, once }: RestOptions,
): Handler {
  const { route, read, recordsIn } = prepared;
  const writes = isWrite(route);
  const hasPrecondition = route.method !== 'GET' && route.method !== 'POST';
  return async (request, reply) => {
    const isTried = isDryRun(route, request);
    const context = withPrecondition(contextOf(request), request, hasPrecondition);
    const key = writes ? sentKey(request) : undefined;
    // Nothing of a dry run is kept, so a key means nothing to it.
    if (key !== undefined && isTried) requireKey(key);
    if (key !== undefined && !isTried) {
      const keyed = keyedCreation(keyedRequest(request, key), prepared, request, reply);
      return answerKeyed(request, reply, keyed, context, once, async (ctx) => {
        const { status, body, payload } = await answer(prepared, ctx, request, reply);
        const text = body === undefined ? '' : await textOf(ctx, body);
        noteTag(request, reply);
        return { status, body: text, tellsOf: recordsIn(payload) };
      });
    }
    if (route.isFollowed && wantsEvents(request)) {
      const call = read(request, false);
      const ctx = contextOfCall(context, call, false);
      return followCall(request, reply, { call, context: ctx, follow, answers });
    }
    const run = (ctx: Context) => answer(prepared, ctx, request, reply);
    const { status, body } = await (isTried ? rehearse(context, run) : run(context));
    reply.status(status);
    if (body === undefined) return reply.send();
    reply.type('application/json; charset=utf-8');
    const text = textOf(context, body);
    const isWaiting = typeof text !== 'string';
    return send(request, reply, isWaiting ? await text : text, context.budget.isLarge);
  };
}

/** Runs a route for a request, and sets the headers that go with what it answers. */
async function answer(
  { route, run, read, location }: PreparedRoute,
  context: Context,
  request: Request,
  reply: FastifyReply,
): Promise<RouteResult> {
  const { params } = request;
  // A missing record is reported before a body that is not an object: an update without
  // fields only looks for its record.
  const updates = route.body === 'input' && params.id !== undefined;
  if (updates && request.body !== undefined && !isJsonObject(request.body)) {
    await run(context, { ...params, input: {} });
  }
  const strict = route.body !== undefined && isStrict(request);
  if (strict) notePreference(reply, 'handling=strict');
  const call = read(request, strict);
  const patch = route.method === 'PATCH' && isMergePatch(request);
  const ctx = withCursorRequest(contextOfCall(context, call, patch), route, request, reply);
  if (call.ignored.length > 0) reply.header('x-ignored-fields', ignoredFieldsHeader(call.ignored));
  const ran = await run(ctx, call.args, call.part);
  if (ran.status === 201) reply.headers(locationHeader(request, location, request.recordId));
  setPageHeaders(request, reply);
  // What takes nothing collects no faults.
  if (!route.body) faultsOf(ctx).throwIfAny();
  return ran;
}

/** Adds the headers of an answer that shows nothing but the record that its route creates. */
function keyedCreation(
  keyed: KeyedRequest,
  { route, location }: PreparedRoute,
  request: Request,
  reply: FastifyReply,
): KeyedRequest {
  // The answer may show anything else where it is asked to.
  if (!route.singleInsert || queryString(request) !== '') return keyed;
  return {
    ...keyed,
    created: {
      headers: () => headersToKeep(reply),
      about: (version, record) => ({
        etag: entityTag(version),
        ...locationHeader(request, location, idIn(record)),
      }),
    },
  };
}

/** The text of an answer's body. */
const textOf = ({ budget }: Context, body: unknown): string | Promise<string> =>
  budget.isLarge ? stringifyLargeJson(body) : stringifyJson(body);

/**
 * @returns a function that finds the records whose values a route's answer shows, in what its root
 *   field returned
 */
function recordIdsReader(operation: string): (payload: object) => readonly string[] {
  const document = operations.get(operation);
  const idsIn = document && recordIdsIn(document);
  return (payload) => idsIn?.({ [operation]: payload }) ?? [];
}

/**
 * Sends an answer, with its tag if it is one record; a 304 to clients that have that answer already.
 * @param isLarge whether computing its digest would keep everybody waiting
 */
function send(request: FastifyRequest, reply: FastifyReply, text: string, isLarge: boolean) {
  const isDigested = (request.method === 'GET' || request.method === 'HEAD') && !isLarge;
  const tag = noteTag(request, reply, isDigested ? text : undefined);
  if (tag === undefined || !isDigested || !isKnown(request, tag)) return reply.send(text);
  return sendNotModified(request, reply, tag, text);
}

/** The id in the text of a record. */
const idIn = (record: string): number => Number(Object(JSON.parse(record)).id);

/**
 * The header with the path of a record that was created (RFC 9110, 10.2.2).
 * @param path beneath the account; undefined where the record cannot be read by itself
 */
function locationHeader(
  request: FastifyRequest,
  path: string | undefined,
  id: number | undefined,
): Readonly<Record<string, string>> {
  if (path === undefined || id === undefined) return {};
  const account = prefix.replace(':account_id', String(viewerOf(request).accountId));
  return { location: account + path.replace(':id', String(id)) };
}

/** Names what an answer shows, if it is one record. */
function noteTag({ version }: FastifyRequest, reply: FastifyReply, text?: string) {
  if (version === undefined) return undefined;
  const tag = entityTag(version, text);
  reply.header('etag', tag);
  return tag;
}

/** The context of a request that may say which version of its record it changes. */
function withPrecondition(context: Context, request: FastifyRequest, changes: boolean): Context {
  const expected = changes ? preconditionOf(request) : undefined;
  return expected ? { ...context, expected } : context;
}
