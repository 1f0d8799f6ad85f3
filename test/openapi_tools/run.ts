/**
 * `npm run test:openapi-tools`: what other people's tools make of `/openapi.json`. A parser of YAML reads it, a
 * linter judges it, four generators make clients that compile and search, and a collection that was converted from
 * it is sent. The tools come from npm into a folder that is removed in the end; PyYAML must be there. Exits with 1
 * when something fails or is missing.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { everything } from '../../src/auth/scopes.ts';
import { operating } from '../../src/context/context.ts';
import { openDatabase } from '../../src/db/open.ts';
import { valuesOf } from '../../src/resources/kernel/read/record_result.ts';
import { issueFor } from '../../src/resources/tokens/issue.ts';
import { insertUser } from '../../src/resources/users/create.ts';
import { openapi } from '../../src/rest/openapi/document.ts';
import { type DemoService, onDemoService } from '../kit/demo_service.ts';
import { install } from '../kit/npm.ts';
import { check } from '../kit/verdict.ts';
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

const folder = await mkdtemp(join(tmpdir(), 'crm-openapi-tools-'));
const file = (name: string) => join(folder, name);

/** Runs a program in the folder, for at most fifteen minutes. */
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
async function tokenOfLasting({ databaseUrl, accountId, keys }: DemoService): Promise<string> {
  const db = await openDatabase({ url: databaseUrl });
  try {
    const ctx = operating({ db, now: new Date(), requestId: 'tools' }, accountId);
    const password = randomUUID();
    const person = {
      full_name: 'Tool',
      email: 'tool@example.com',
      password,
      password_confirmation: password,
      role: 'admin',
    };
    const { id } = valuesOf(await insertUser(ctx, person, { fields: ['id'], relations: [] }));
    const token = { userId: Number(id), name: 'tools', scopes: everything.given, ttl: null, keys };
    return (await issueFor(ctx, token)).token;
  } finally {
    await db.close();
  }
}

async function checkAll(env: NodeJS.ProcessEnv): Promise<void> {
  await check('PyYAML reads what JSON says', async () => {
    await shell(['python3', '-c', readInPython]);
  });
  await check('spectral:oas has no error', async () => {
    await shell(['spectral', 'lint', 'openapi.json', '--ruleset', 'spectral.yaml', '--quiet']);
  });
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

try {
  console.log('        npm installs the tools');
  await install(folder, tools);
  await writeFile(file('openapi.json'), JSON.stringify(openapi()));
  await writeFile(file('spectral.yaml'), 'extends: spectral:oas\n');
  await onDemoService(file('data'), { RATE_LIMIT: 'off' }, async (service) => {
    await checkAll({
      CRM_URL: service.url,
      CRM_ACCOUNT: String(service.accountId),
      CRM_TOKEN: await tokenOfLasting(service),
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_NO_WARNINGS: '1',
    });
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
