/**
 * PostGraphile on the same tables, for the nested GraphQL query: a generated interface beside ours,
 * with its default preset and the same token check. It is not among our dependencies (it brings
 * nearly two hundred packages): where it is installed it is measured, where not it is left out.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import { keysOf } from '../../src/auth/keys.ts';
import { Verifier } from '../../src/auth/verifier.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { selfSigned } from '../../src/http/certificate.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** So much of its packages is used. */
interface Serv {
  ready(): PromiseLike<unknown>;
  createHandler(isHttps: boolean): Handler;
}
interface Instance {
  createServ(grafserv: unknown): Serv;
}

// It asks for Node 22, and that is all it misses in Node 20.
if (!('withResolvers' in Promise)) {
  Object.assign(Promise, {
    withResolvers: () => {
      let settle: object = {};
      const promise = new Promise((resolve, reject) => (settle = { resolve, reject }));
      return { promise, ...settle };
    },
  });
}

// Found wherever NODE_PATH leads, too.
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
  // It knows no index that has a collation, and would not ask for a deal's status.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [
    makePgService({
      connectionString: url,
      schemas: ['public'],
      poolConfig: { max: poolSize, options: '-c TimeZone=UTC -c jit=off' },
    }),
  ],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
});
const serv = instance.createServ(grafserv);
await serv.ready();
const answer = serv.createHandler(true);
const server = createServer(await selfSigned(config.dataDir), (request, response) => {
  verifier.verify(request.headers.authorization ?? '').then(
    () => answer(request, response),
    () => response.writeHead(401, { 'content-length': 0 }).end(),
  );
});
server.listen(config.port, '127.0.0.1');
