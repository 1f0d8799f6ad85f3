/** Builds the console: typed documents of what its pages ask, and the files that browsers load. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = dirname(fileURLToPath(import.meta.url));

/** What is sent and comes back as JSON, by scalar. */
const scalars = {
  Integer: 'number',
  DateTime: 'string',
  JSONObject: 'Record<string, unknown>',
  Text: 'string',
  Flag: 'boolean',
  Labels: 'readonly string[]',
  Scopes: 'readonly string[]',
  SearchQuery: 'Record<string, unknown>',
  ContactAttributes: 'Record<string, unknown>',
};

/**
 * Writes the documents of all `.graphql` files as text, with the types of their variables and answers.
 * @param schemaFile what they must be valid against
 * @param target the TypeScript file to write
 * @throws when a document is not valid, or a scalar has no type above
 */
export async function generateDocuments(schemaFile, target) {
  const [{ codegen }, operations, documents, { parse }] = await Promise.all([
    import('@graphql-codegen/core'),
    import('@graphql-codegen/typescript-operations'),
    import('@graphql-codegen/typed-document-node'),
    import('graphql'),
  ]);
  const files = readdirSync(source, { recursive: true })
    .filter((file) => file.endsWith('.graphql'))
    .sort();
  const output = await codegen({
    filename: target,
    schema: parse(readFileSync(schemaFile, 'utf8')),
    documents: files.map((location) => ({
      location,
      document: parse(readFileSync(join(source, location), 'utf8')),
    })),
    config: {
      scalars,
      strictScalars: true,
      defaultScalarType: 'unknown',
      documentMode: 'string',
      useTypeImports: true,
      skipTypename: true,
      arrayInputCoercion: false,
      dedupeFragments: true,
    },
    plugins: [{ operations: {} }, { documents: {} }],
    pluginMap: { operations, documents },
  });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, output);
}

/**
 * Bundles the pages into a directory, each file with a hash of its content in its name, and writes
 * `entry.json`: which of them the HTML page names.
 */
export async function bundle(directory) {
  const { build } = await import('esbuild');
  rmSync(directory, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: source,
    entryPoints: { console: 'main.tsx', style: 'styles/console.css', icon: 'icon.svg' },
    outdir: directory,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    minify: true,
    metafile: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    logLevel: 'silent',
  });
  const outputs = Object.entries(metafile.outputs);
  const of = (entryPoint) => outputs.find(([, output]) => output.entryPoint === entryPoint);
  const [script, { imports }] = of('main.tsx');
  const entry = {
    script: basename(script),
    // What the script imports at once: named in the page, they are asked for together with it.
    preloads: imports
      .filter(({ kind }) => kind === 'import-statement')
      .map(({ path }) => basename(path)),
    style: basename(of('styles/console.css')[0]),
    icon: basename(outputs.find(([, { inputs }]) => 'icon.svg' in inputs)[0]),
  };
  writeFileSync(join(directory, 'entry.json'), JSON.stringify(entry));
}
