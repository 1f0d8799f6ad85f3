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
  WebhookEvents: 'readonly string[]',
  SearchQuery: 'Record<string, unknown>',
  SearchCursor: 'string',
  Counting: 'string',
  ContactAttributes: 'Record<string, unknown>',
  BatchRecords: 'readonly Readonly<Record<string, unknown>>[]',
  JSONValue: 'string | number | boolean',
};

/** Types whose fields are operations. */
const rootTypes = ['Query', 'Mutation', 'Subscription', 'Dashboard'];

/** Such a type, whose fields are never null: the console takes the refusal of one for that of the whole. */
const answered = (type, Kind) => ({
  ...type,
  fields: type.fields.map((field) => {
    return field.type.kind === Kind.NON_NULL_TYPE
      ? field
      : { ...field, type: { kind: Kind.NON_NULL_TYPE, type: field.type } };
  }),
});

/**
 * Writes the documents of all `.graphql` files as text, with the types of their variables and answers.
 * @param schemaFile what they must be valid against
 * @param target the TypeScript file to write
 * @throws when a document is not valid, or a scalar has no type above
 */
export async function generateDocuments(schemaFile, target) {
  const [{ codegen }, operations, documents, { parse, Kind, visit }] = await Promise.all([
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
    schema: visit(parse(readFileSync(schemaFile, 'utf8')), {
      ObjectTypeDefinition: (type) =>
        rootTypes.includes(type.name.value) ? answered(type, Kind) : undefined,
    }),
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
 * Bundles the console into a directory, each file with a hash of its content in its name, and writes
 * `entry.json`: which is which. What all pages share is one script, and each page's own comes when it is opened.
 */
export async function bundle(directory) {
  const { build } = await import('esbuild');
  rmSync(directory, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: source,
    entryPoints: { console: 'main.tsx', style: 'styles/console.css', icon: 'icon.svg' },
    outdir: directory,
    bundle: true,
    format: 'esm',
    splitting: true,
    target: ['es2022', 'chrome123', 'firefox125', 'safari17.5'],
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
  const fileOf = (source) => basename(outputs.find(([, { inputs }]) => source in inputs)[0]);
  const entry = {
    script: fileOf('main.tsx'),
    style: fileOf('styles/console.css'),
    icon: fileOf('icon.svg'),
  };
  writeFileSync(join(directory, 'entry.json'), JSON.stringify(entry));
}
