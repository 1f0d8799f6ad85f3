/**
 * `npm run test:openapi-tools`: what other people's tools make of `/openapi.json`. A parser of YAML reads it, a
 * linter judges it, four generators make clients that compile and search, and a collection that was converted from
 * it is sent. The tools come from npm into a folder that is removed in the end; PyYAML must be there. Exits with 1
 * when something fails or is missing.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { keysOf } from '../../src/auth/keys.ts';
import { everything } from '../../src/auth/scopes.ts';
import { operating } from '../../src/context/context.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { seed } from '../../src/demo/seed.ts';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { valuesOf } from '../../src/resources/kernel/read/record_result.ts';
import { issueFor } from '../../src/resources/tokens/issue.ts';
import { insertUser } from '../../src/resources/users/create.ts';
import { openapi } from '../../src/rest/openapi/document.ts';
import { serviceProgram, startTarget, stopTarget } from '../bench/processes.ts';
import { generators } from './clients.ts';

const run = promisify(execFile);

const tools = [
  '@hey-api/openapi-ts@0.80.16',
  '@oazapfts/runtime@1',
  '@stoplight/spectral-cli@6.16.3',
  '@types/node@20',
  'newman@6.2.2',
  'oazapfts@7.5.0',
  'openapi-to-postmanv2@6.3.3',
  'orval@7',
  'swagger-typescript-api@13.13.0',
  'typescript@5.9.3',
];

const secret = 'a secret of the tools, long enough to sign with';
const keys = keysOf([secret]);

const folder = await mkdtemp(join(tmpdir(), 'crm-openapi-tools-'));
const file = (name: string) => join(folder, name);

/** Runs a program in the folder, for at most fifteen minutes: on a busy machine an installation takes ten. */
async function shell(command: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const [program = '', ...args] = command;
  const PATH = [file('node_modules/.bin'), process.env.PATH].join(delimiter);
  const { stdout } = await run(program, args, {
    cwd: folder,
    env: { ...process.env, ...env, PATH },
    maxBuffer: 2 ** 26,
    timeout: 900_000,
  });
  return stdout;
}

/** Says whether something holds, and why not. */
async function check(promise: string, holds: () => Promise<unknown>): Promise<void> {
  try {
    await holds();
    console.log(`ok      ${promise}`);
  } catch (error) {
    process.exitCode = 1;
    const { stdout, stderr }: { stdout?: string; stderr?: string } = Object(error);
    console.log(`FAILED  ${promise}\n${[stdout, stderr].join('').trim() || error}`);
  }
}

const compiler = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, skipLibCheck: true, target: 'es2022', module: 'esnext' },
    ...{ moduleResolution: 'bundler', types: ['node'], lib: ['es2023', 'dom', 'dom.iterable'] },
  },
};

/** Reads the document from JSON and from YAML, which must be the same. */
const readInPython = `
import json, sys
try:
    import yaml
except ImportError:
    sys.exit("PyYAML is missing: apt-get install python3-yaml")
text = open("openapi.json", encoding="utf-8").read()
assert yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)) == json.loads(text)
`;

/** Sends the requests of a collection, and returns those that are malformed, or that say nothing of it. */
async function badRequests(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const options = 'enableOptionalParameters=false,parametersResolution=Example';
  await shell(['openapi2postmanv2', '-s', 'openapi.json', '-o', 'collection.json', '-O', options]);
  const variables = [`baseUrl=${env.CRM_URL}`, `bearerToken=${env.CRM_TOKEN}`];
  await shell([
    ...['newman', 'run', 'collection.json', '--insecure', '--suppress-exit-code'],
    ...['--reporters', 'json', '--reporter-json-export', 'sent.json'],
    ...variables.flatMap((variable) => ['--env-var', variable]),
  ]);
  const { run: sent }: { run: { executions: Execution[] } } = JSON.parse(
    await readFile(file('sent.json'), 'utf8'),
  );
  const statuses = sent.executions.map(({ response }) => response?.code ?? 0);
  const counts = [...new Set(statuses)]
    .sort()
    .map((status) => `${status} × ${statuses.filter((other) => other === status).length}`);
  console.log(`        ${statuses.length} requests: ${counts.join(', ')}`);
  if (!statuses.includes(200)) throw new Error('no request was answered with 200');
  // What was refused for its token was not read.
  return sent.executions
    .filter((_, at) => [0, 400, 401, 403].includes(statuses[at] ?? 0))
    .map(({ item, response }) => `${item.name}: ${response?.code ?? 'no answer'}`);
}

interface Execution {
  readonly item: { readonly name: string };
  readonly response?: { readonly code: number };
}

/** The token of an admin whom no example names: a collection removes the first user and the first token. */
async function tokenOfLasting(db: Database, accountId: number): Promise<string> {
  const ctx = operating({ db, now: new Date(), requestId: 'tools' }, accountId);
  const person = {
    full_name: 'Tool',
    email: 'tool@example.com',
    password: secret,
    password_confirmation: secret,
    role: 'admin',
  };
  const { id } = valuesOf(await insertUser(ctx, person, { fields: ['id'], relations: [] }));
  const token = { userId: Number(id), name: 'tools', scopes: everything.given, ttl: null, keys };
  return (await issueFor(ctx, token)).token;
}

async function checkAll(env: NodeJS.ProcessEnv): Promise<void> {
  await check('PyYAML reads what JSON says', () => shell(['python3', '-c', readInPython]));
  await check('spectral:oas has no error', () =>
    shell(['spectral', 'lint', 'openapi.json', '--ruleset', 'spectral.yaml', '--quiet']),
  );
  for (const { name, command, search } of generators) {
    await check(`${name}: a client that compiles under --strict, and searches`, async () => {
      await shell(command);
      await writeFile(file('search.ts'), search);
      await writeFile(file('tsconfig.json'), JSON.stringify({ ...compiler, files: ['search.ts'] }));
      await shell(['tsc', '--project', 'tsconfig.json']);
      await shell([process.execPath, '--import', import.meta.resolve('tsx'), 'search.ts'], env);
    });
  }
  await check('a Postman collection without optional parameters has no 400', async () => {
    const refused = await badRequests(env);
    if (refused.length > 0) throw new Error(refused.join('\n'));
  });
}

const embedded = await startEmbedded(file('data'));
try {
  console.log('        npm installs the tools');
  await writeFile(file('package.json'), JSON.stringify({ private: true, type: 'module' }));
  await shell(['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', ...tools]);
  await writeFile(file('openapi.json'), JSON.stringify(openapi()));
  await writeFile(file('spectral.yaml'), 'extends: spectral:oas\n');
  await migrate(embedded.url);
  const db = await openDatabase({ url: embedded.url });
  const { account_id } = await seed(db, { keys, tokenTtl: null, now: new Date() });
  const token = await tokenOfLasting(db, account_id);
  await db.close();
  const service = await startTarget('service', serviceProgram, {
    DATABASE_URL: embedded.url,
    DATA_DIR: file('data'),
    JWT_SECRET: secret,
    RATE_LIMIT: 'off',
    WORKERS: '1',
  });
  try {
    await checkAll({
      CRM_URL: `${service.scheme}://127.0.0.1:${service.port}`,
      CRM_ACCOUNT: String(account_id),
      CRM_TOKEN: token,
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_NO_WARNINGS: '1',
    });
  } finally {
    await stopTarget(service);
  }
} finally {
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}
