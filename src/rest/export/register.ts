/** Exports: all that a search finds, as a stream that is as fast as its client. */

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorize } from '../../auth/policy.ts';
import type { Sessions } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import type { ExportPlan } from '../../graphql/export_plan.ts';
import type { FormatName } from '../../graphql/exportable.ts';
import { identifyPerson, viewerOf } from '../../http/authentication.ts';
import type { UnreadResponses } from '../../http/limits/unread_responses.ts';
import type { JsonObject } from '../../json/json.ts';
import { cursorHeader } from '../cursor.ts';
import type { ChosenFields } from '../part.ts';
import { parameters, queryString } from '../query_string.ts';
import { prefix, type RestOptions } from '../register.ts';
import type { Params } from '../request.ts';
import { exportRoutes } from '../routes.ts';
import { misplacedIn } from '../search.ts';
import { formats } from './formats.ts';
import { ExportedRecords, textOf } from './text.ts';

/** An export that was opened. */
export interface ExportStream {
  readonly format: FormatName;
  readonly total: number;
  readonly cursor: string | undefined;
  records(): AsyncGenerator<readonly string[]>;
  close(): void;
}

/** Opens the export of what a root field searches. */
export type OpenExport = (
  ctx: Context,
  account: unknown,
  field: string,
  args: JsonObject & Pick<ChosenFields, 'fields'>,
  selection: ExportPlan['selection'],
) => Promise<ExportStream>;

export interface ExportOptions extends Pick<RestOptions, 'verifier' | 'contextOf' | 'answers'> {
  readonly sessions: Sessions;
  readonly open: OpenExport;
}

/** How many records the export has, so that a client knows how far it is, and whether it got all. */
export const totalHeader = 'X-Total-Count';

const parts = ['query', 'format', 'fields'] as const;

/** Adds the routes of exports, `GET …/{records}/export`, which take a token or the cookie of a session. */
export function addExports(server: FastifyInstance, options: ExportOptions): void {
  for (const { path, operation, action } of exportRoutes) {
    const records = new ExportedRecords(operation);
    server.route<{ Params: Params }>({
      method: 'GET',
      url: prefix + path,
      onRequest: async (request, reply) => {
        await identifyPerson(request, reply, options.verifier, options.sessions);
      },
      preParsing: async (request) => {
        authorize(viewerOf(request), request.params.account_id, action);
      },
      handler: async (request, reply) => {
        const text = queryString(request);
        const url = parameters(text);
        const context = options.contextOf(request);
        const { fields, exported, misplaced: unknown } = records.read(url);
        const misplaced = misplacedIn(url, text, parts, 'is not part of an export');
        const ctx = { ...context, misplaced: [...misplaced, ...unknown] };
        const account = request.params.account_id;
        const args = { ...url, fields };
        const opened = await options.open(ctx, account, operation, args, exported.selection);
        return send(request, reply, { opened, exported, operation, answers: options.answers });
      },
    });
  }
}

interface ExportReply {
  readonly opened: ExportStream;
  readonly exported: ExportPlan;
  readonly operation: string;
  readonly answers: UnreadResponses;
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { opened, exported, operation, answers }: ExportReply,
): FastifyReply {
  const format = formats[opened.format];
  const name = `${operation}-${new Date().toISOString().slice(0, 10)}.${opened.format}`;
  reply.header('content-disposition', `attachment; filename="${name}"`);
  reply.header(totalHeader, opened.total);
  if (opened.cursor !== undefined) reply.header(cursorHeader, opened.cursor);
  reply.type(format.type);
  if (request.method === 'HEAD') {
    opened.close();
    return reply.send();
  }
  const text = textOf(exported, format, opened.records());
  const parts = partsHeld(answers, reply.raw, request.viewer?.accountId, text);
  const body = Readable.from(parts, { objectMode: false, highWaterMark: 1 });
  // A generator that was never read does not run its `finally`, which would close the export.
  body.once('close', opened.close);
  return reply.send(body);
}

/** The parts of an answer, each counted as unread until the next one is asked for. */
async function* partsHeld(
  answers: UnreadResponses,
  response: ServerResponse,
  account: number | undefined,
  parts: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  for await (const bytes of parts) {
    const hold = answers.hold(response, account, bytes.length);
    yield bytes;
    hold.free();
  }
}
