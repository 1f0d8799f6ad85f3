/**
 * PostGraphile on the database that PEER_DATABASE_URL names, as a program. It knows its callers by the
 * tokens of the service; that they see one account alone is up to what they ask.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { keysOf } from '../../../src/auth/keys.ts';
import { Verifier } from '../../../src/auth/verifier.ts';
import { readConfig } from '../../../src/config/config.ts';
import { openDatabase } from '../../../src/db/open.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** So much of its packages is used. */
interface Serv {
  ready(): PromiseLike<unknown>;
  createHandler(isHttps: boolean): Handler;
}
interface Instance {
  createServ(grafserv: unknown): Serv;
}

// It asks for Node 22, and this is all that it misses in Node 20.
if (!('withResolvers' in Promise)) {
  Object.assign(Promise, {
    withResolvers: () => {
      let settle: object = {};
      const promise = new Promise((resolve, reject) => (settle = { resolve, reject }));
      return { promise, ...settle };
    },
  });
}

// Found where NODE_PATH leads.
const require = createRequire(import.meta.url);
const { postgraphile }: { postgraphile: (preset: object) => Instance } = require('postgraphile');
const {
  PostGraphileAmberPreset,
}: { PostGraphileAmberPreset: object } = require('postgraphile/presets/amber');
const {
  makePgService,
}: { makePgService: (options: object) => object } = require('postgraphile/adaptors/pg');
const { grafserv }: { grafserv: unknown } = require('postgraphile/grafserv/node');

const config = readConfig(process.env);
if (config.database.kind !== 'url') throw new Error('DATABASE_URL must be set');
const { url, poolSize } = config.database;
const verifier = new Verifier(
  await openDatabase({ url, poolSize: 1 }),
  keysOf([config.jwtSecret ?? '']),
);
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: process.env.PEER_DATABASE_URL,
      schemas: ['public'],
      poolConfig: { max: poolSize },
    }),
  ],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
});
const serv = instance.createServ(grafserv);
await serv.ready();
const answer = serv.createHandler(false);
const server = createServer((request, response) => {
  verifier.verify(request.headers.authorization ?? '').then(
    () => answer(request, response),
    () => response.writeHead(401, { 'content-length': 0 }).end(),
  );
});
server.listen(config.port, '127.0.0.1');
