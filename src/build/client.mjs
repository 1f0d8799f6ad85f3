/** The typed client that the service serves of itself: an npm package, made of its OpenAPI document. */
import { gzipSync } from 'node:zlib';

const prefix = '/api/v1/accounts/{account_id}';

/** Verbs of a path that ends with its resource, or with the id of one record. */
const plain = { post: 'create', get: 'list' };
const ofOne = { get: 'get', put: 'update', delete: 'delete' };

/** What an operation is called: a resource and a verb, or a name alone. */
function nameOf(method, path) {
  const parts = path.split('/').filter(Boolean);
  const fixed = parts.filter((part) => !part.startsWith('{'));
  const [resource, ...rest] = fixed;
  if (resource === undefined) return ['account', ofOne[method]];
  const last = parts.at(-1);
  const isOne = last.startsWith('{');
  if (rest.length === 0) {
    if (isOne) return [resource, ofOne[method]];
    // What is no resource has one operation.
    return method === 'post' || resource === 'pipelines' ? [resource, plain[method]] : [resource];
  }
  const [end] = rest;
  if (rest.length === 1) {
    // A record beneath another: `contacts.create_event`.
    const isBeneath = method === 'post' && !isOne && parts[1]?.startsWith('{') && /s$/.test(end);
    return [resource, isBeneath && parts[1] !== '{id}' ? `create_${end.replace(/s$/, '')}` : end];
  }
  return [resource, `${rest.at(-1)}_${end}`];
}

/** @returns operations of the document, without the other methods that some have */
function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'patch' && !(method === 'get' && path.endsWith('/search')))
      .map(([method, operation]) => {
        const beneath = path.slice(prefix.length);
        return { method, path: beneath, operation, name: nameOf(method, beneath) };
      }),
  );
}

/** The table that the client finds its operations in. */
function tableOf(operations) {
  const table = {};
  for (const { name, method, path } of operations) {
    const [resource, verb] = name;
    const entry = [method.toUpperCase(), path];
    if (verb === undefined) table[resource] = entry;
    else {
      table[resource] ??= {};
      if (table[resource][verb]) throw new Error(`two operations are ${name.join('.')}`);
      table[resource][verb] = entry;
    }
  }
  return table;
}

const words = {
  integer: 'number',
  number: 'number',
  string: 'string',
  boolean: 'boolean',
  null: 'null',
};
const union = (types) => [...new Set(types)].join(' | ') || 'unknown';
const isName = (text) => /^[a-zA-Z_]\w*$/.test(text);
const referred = ($ref) => $ref.replace(/^.*\//, '');

/** A JSON Schema as a type. */
function typeOf(schema = {}) {
  const {
    $ref,
    anyOf,
    oneOf,
    allOf,
    enum: values,
    type,
    items,
    properties,
    required = [],
  } = schema;
  if ($ref) return referred($ref);
  if (anyOf || oneOf) return union((anyOf ?? oneOf).map(typeOf));
  if (allOf) return allOf.map((one) => `(${typeOf(one)})`).join(' & ');
  if (values) return union(values.map((value) => JSON.stringify(value)));
  return union(
    [type].flat().map((one) => {
      if (one === 'array') return `readonly (${typeOf(items)})[]`;
      if (one !== 'object') return words[one] ?? 'unknown';
      if (!properties) return 'Readonly<Record<string, unknown>>';
      const members = Object.entries(properties).map(([name, of]) => {
        const mark = required.includes(name) ? '' : '?';
        return `${isName(name) ? name : JSON.stringify(name)}${mark}: ${typeOf(of)}`;
      });
      return `{ ${members.join('; ')} }`;
    }),
  );
}

/** The schemas that a type names, and those that these name. */
function namedIn(texts, schemas) {
  const found = new Set();
  const look = (text) => {
    for (const [name] of text.matchAll(/\b[A-Z]\w+\b/g)) {
      if (!schemas[name] || found.has(name)) continue;
      found.add(name);
      look(typeOf(schemas[name]));
    }
  };
  for (const text of texts) look(text);
  return [...found].sort();
}

/** What an operation takes and returns, as a method of an interface. */
function signatureOf({ method, path, operation, name }, schemas, schemaOfSearch) {
  const params = (path.match(/\{\w+\}/g) ?? []).map((one) => `${one.slice(1, -1)}: number`);
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'query');
  const body = operation.requestBody?.content['application/json']?.schema;
  const answered = Object.entries(operation.responses).filter(([status]) =>
    /^20[01]$/.test(status),
  );
  const returned =
    union(answered.map(([, one]) => typeOf(one.content?.['application/json']?.schema))) || 'void';
  const verb = name.at(-1);
  const itemOf = (page) => `${page}["data"][number]`;
  let result = answered.length > 0 ? `Promise<${returned}>` : 'Promise<void>';
  if (path.endsWith('/search')) {
    params.push('search?: Search');
    result = `Pages<${itemOf(returned)}, ${returned}>`;
  } else if (path.endsWith('/export')) {
    params.push('given?: { query?: Query; fields?: string }');
    const page = schemaOfSearch(path.replace(/export$/, 'search'));
    result = `AsyncGenerator<${itemOf(page)}>`;
  } else if (path === '/changes') {
    params.push(`given?: ${givenOf(parameters)}`);
    result = `Pages<${itemOf(returned)}, ${returned}>`;
  } else if (body) {
    const isOptional = !(schemas[referred(body.$ref ?? '')] ?? body).required;
    params.push(`body${isOptional && method !== 'post' ? '' : ''}: ${typeOf(body)}`);
  } else if (method === 'get' || (method === 'delete' && parameters.length > 0)) {
    const isNeeded = parameters.some((one) => one.required);
    params.push(`given${isNeeded ? '' : '?'}: ${givenOf(parameters)}`);
  } else params.push('given?: {}');
  const about = operation.summary ? `/** ${operation.summary} */ ` : '';
  return `${about}${verb}(${[...params, 'options?: CallOptions'].join(', ')}): ${result};`;
}

function givenOf(parameters) {
  const members = parameters.map(
    ({ name, schema, required }) =>
      `${isName(name) ? name : JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)}`,
  );
  return `{ ${members.join('; ')} }`;
}

/** The declarations of the package. */
function declarationsOf(document, operations) {
  const { schemas } = document.components;
  const pageOf = (path) => {
    const found = operations.find((one) => one.path === path && one.method === 'post');
    return typeOf(found.operation.responses[200].content['application/json'].schema);
  };
  const groups = new Map();
  const alone = [];
  for (const one of operations) {
    const signature = signatureOf(one, schemas, pageOf);
    if (one.name.length === 1) alone.push(signature);
    else groups.set(one.name[0], [...(groups.get(one.name[0]) ?? []), signature]);
  }
  const members = [...groups].map(([name, all]) => `${name}: {\n${all.join('\n')}\n};`);
  const text = [...members, ...alone].join('\n');
  const named = namedIn([text, 'ErrorCode FieldCode'], schemas);
  const types = named.map((name) => `export type ${name} = ${typeOf(schemas[name])};`);
  return `${fixed}
${types.join('\n')}
export interface Client {
graphql<Data = unknown>(query: string, variables?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<{ data?: Data; errors?: readonly { message: string; extensions?: Readonly<Record<string, unknown>> }[] }>;
${text}
}
`;
}

/** Types that no schema has. */
const fixed = `export interface ClientOptions { url: string; token: string; account: number; fetch?: typeof fetch; attempts?: number }
export interface CallOptions { key?: string; ifMatch?: string; dryRun?: boolean; signal?: AbortSignal; headers?: Readonly<Record<string, string>> }
/** Conditions: { full_name_cont: 'ana', s: 'created_at desc' }. */
export type Query = Readonly<Record<string, unknown>>;
export interface Search { query?: Query; page?: number; per_page?: number; after?: string; count?: 'exact' | 'estimate' | 'none' }
/** Awaited, the first page; iterated over, everything. */
export interface Pages<Item, Page> extends PromiseLike<Page>, AsyncIterable<Item> {}
export declare class CrmError extends Error { readonly status: number; readonly code: ErrorCode | ''; readonly errors: readonly string[]; readonly fields: Readonly<Record<string, readonly string[]>>; readonly codes: Readonly<Record<string, readonly FieldCode[]>>; readonly requestId: string; readonly body: Readonly<Record<string, unknown>> }
export declare function createClient(options: ClientOptions): Client;
export declare function verifyWebhook(body: string, headers: Readonly<Record<string, string | string[] | undefined>> | { get(name: string): string | null }, secret: string | readonly string[]): Promise<Change>;`;

/** A file as an archive holds it (POSIX.1-1988, ustar); the same content makes the same bytes. */
function archived(name, content) {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  const put = (text, at) => header.write(text, at, 'ascii');
  put(`package/${name}`, 0);
  put('0000644\0', 100);
  put('0000000\0', 108);
  put('0000000\0', 116);
  put(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  put('00000000000\0', 136);
  put('        ', 148);
  put('0', 156);
  put('ustar\x0000', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

const readme = `# Sales CRM client

    import { createClient } from 'sales-crm-client';
    const client = createClient({ url: 'https://crm.example.com', token: '…', account: 1 });
    await client.contacts.upsert({ email: 'ana@example.com', full_name: 'Ana Lima' });
    for await (const contact of client.contacts.search({ query: { full_name_cont: 'lima' } })) console.log(contact.email);

The service has the guide at /docs/typescript-client.
`;

/**
 * @param document OpenAPI
 * @param bundle builds JavaScript of an entry, given as text
 * @returns the package as npm packs them
 */
export async function packClient(document, bundle) {
  const operations = operationsOf(document);
  const entry = `
import { clientOf } from './client.ts';
export { CrmError } from './client.ts';
export { verifyWebhook } from './webhook.ts';
const operations = ${JSON.stringify(tableOf(operations))};
export const createClient = (options) => clientOf(operations, options);
`;
  const manifest = {
    name: 'sales-crm-client',
    version: document.info.version,
    description: 'The typed client of a Sales CRM, as its service serves it',
    license: 'UNLICENSED',
    type: 'module',
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    types: './index.d.ts',
    sideEffects: false,
    engines: { node: '>=20' },
  };
  const files = [
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['README.md', readme],
    ['index.js', await bundle(entry)],
    ['index.d.ts', declarationsOf(document, operations)],
  ];
  const archive = Buffer.concat([...files.map((one) => archived(...one)), Buffer.alloc(1024)]);
  return gzipSync(archive, { level: 9 });
}
