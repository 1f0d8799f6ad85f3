/**
 * What the service is measured against: the same answers to the operations that are measured, written
 * by hand with Fastify and pg, the JSON built by PostgreSQL and sent as it is. It has the token check,
 * the rows that are written and the statuses of the service, and none of its rules.
 */
import cluster from 'node:cluster';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import pg from 'pg';
import { keysOf } from '../../src/auth/keys.ts';
import { Sessions } from '../../src/auth/sessions.ts';
import { Verifier } from '../../src/auth/verifier.ts';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/db/open.ts';
import { secretIn } from '../../src/http/headers/session_cookie.ts';
import { selfSigned } from '../../src/http/tls/certificate.ts';
import type { Body, Operation } from './operations/operation.ts';
import { operationsOn } from './operations.ts';
import { seedOf } from './seed.ts';

const config = readConfig(process.env);
if (config.database.kind !== 'url') throw new Error('DATABASE_URL must be set');
const { url, poolSize } = config.database;
const pool = new pg.Pool({
  connectionString: url,
  max: poolSize,
  options: '-c TimeZone=UTC -c jit=off',
});
const database = await openDatabase({ url, poolSize: 1 });
const verifier = new Verifier(database, keysOf([config.jwtSecret ?? '']));
const sessions = new Sessions(database);

async function viewerOf(request: FastifyRequest) {
  const secret = secretIn(request);
  if (secret === undefined) return verifier.verify(request.headers.authorization ?? '');
  return (await sessions.verify(secret)).viewer;
}

async function answer(
  { name, kind, status, byHand }: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
  body: Body,
): Promise<FastifyReply> {
  const viewer = await viewerOf(request);
  const result = await pool.query({
    ...(byHand.replanned ? {} : { name }),
    text: byHand.sql,
    values: [
      viewer.accountId,
      ...(kind === 'write' ? [viewer.userId, viewer.tokenId] : []),
      ...(byHand.values?.({ viewer, id, body }) ?? []),
    ],
    rowMode: 'array',
  });
  const text: string | undefined = result.rows[0]?.[0];
  if (text === undefined) return reply.status(404).send();
  return reply.status(status).type('application/json; charset=utf-8').send(text);
}

const { cert, key } = await selfSigned(config.dataDir);
const server = Fastify({ https: { cert, key } });

/** Operations of GraphQL by their documents. */
const documents = new Map<string, Operation>();
// Statements are of whatever is asked for, and so of a database of any size.
for (const operation of operationsOn(seedOf(10_000))) {
  const { path } = operation.byHand;
  const { method, body = '' } = operation.request(0);
  if (path === undefined) documents.set(JSON.parse(body).query, operation);
  else {
    server.route<{ Params: { id: string }; Body: Body }>({
      method,
      url: path,
      handler: (request, reply) =>
        answer(operation, request, reply, request.params.id, request.body ?? {}),
    });
  }
}

server.post<{ Body: { query: string; variables: Body } }>('/graphql', (request, reply) => {
  const { query, variables } = request.body;
  const operation = documents.get(query);
  if (!operation) return reply.status(404).send();
  return answer(operation, request, reply, '', variables);
});

if (cluster.isPrimary && config.workers > 1) {
  for (let worker = 0; worker < config.workers; worker++) cluster.fork();
} else {
  await server.listen({ host: '127.0.0.1', port: config.port });
}
