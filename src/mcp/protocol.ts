/**
 * The messages of the Model Context Protocol. Two eras of it are spoken: since the revision of 2026-07-28 each request
 * says in its `_meta` which revision it is of, and repeats in headers what it asks for; before that, a client begins
 * with `initialize`. Neither needs a session here.
 */
import { isJsonObject, type JsonObject } from '../json/json.ts';

/** Revisions whose requests say so themselves, the newest first. */
export const modernVersions = ['2026-07-28'] as const;

/** Revisions that begin with `initialize`, the newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
} as const;

/** Codes of JSON-RPC and of the protocol. */
export const errorCodes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  headers: -32020,
  version: -32022,
} as const;

type Id = string | number | null;

/** A message that cannot be answered, as JSON-RPC reports it. */
export class ProtocolError extends Error {
  readonly status: number;
  readonly code: number;
  readonly data: JsonObject | undefined;

  /** @param status of HTTP */
  constructor(status: number, code: number, message: string, data?: JsonObject) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

/** A request or a notification. */
export interface Message {
  /** Undefined for a notification, which is not answered. */
  readonly id: Id | undefined;
  readonly method: string;
  readonly params: JsonObject;
  /** Whether it says itself which revision it is of. */
  readonly isModern: boolean;
  /** The program that sends it, as it calls itself: `claude-code/2.1.0`; undefined where it does not. */
  readonly client: string | undefined;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const invalid = (message: string): ProtocolError =>
  new ProtocolError(400, errorCodes.request, message);

/** The id that an error about a body can name; null where it has none. */
export function idOf(body: unknown): Id {
  const id = isJsonObject(body) ? body.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/**
 * Reads a body as one message.
 * @throws {ProtocolError} for what is none, and for one of a revision that is not spoken here
 */
export function readMessage(body: unknown, headers: Headers): Message {
  if (Array.isArray(body)) throw invalid('Batches of messages are not taken: send them one by one');
  if (!isJsonObject(body) || body.jsonrpc !== '2.0' || typeof body.method !== 'string') {
    throw invalid('The body must be a JSON-RPC 2.0 request or notification');
  }
  const { id, method, params = {} } = body;
  if (id !== undefined && typeof id !== 'string' && !Number.isInteger(id)) {
    throw invalid('id must be a string or an integer');
  }
  if (!isJsonObject(params)) {
    throw new ProtocolError(400, errorCodes.params, 'params must be an object');
  }
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const version = meta[metaKeys.version];
  const message = {
    id: id === undefined ? undefined : idOf(body),
    method,
    params,
    isModern: version !== undefined,
    client: clientOf(meta[metaKeys.client], headers),
  };
  if (version === undefined) requireLegacy(headers);
  else requireModern(message, version, meta, headers);
  return message;
}

/** A header that says of a request what it is about. */
const headerOf = (headers: Headers, name: string): string | undefined =>
  headers[name]?.toString().trim();

/** Characters of a program's name and version that are noted. */
const longestClient = 255;

/**
 * The name and version of a program, from what the message says or else from `User-Agent`. It may call itself whatever
 * it likes, so what has no place in one line of a log is left out.
 */
function clientOf(info: unknown, headers: Headers): string | undefined {
  const { name, version }: JsonObject = isJsonObject(info) ? info : {};
  const program = [name, version].filter((part) => typeof part === 'string').join('/');
  const text = program === '' ? (headerOf(headers, 'user-agent') ?? '') : program;
  const line = text.replace(/\p{C}/gu, '').slice(0, longestClient).toWellFormed().trim();
  return line === '' ? undefined : line;
}

function requireLegacy(headers: Headers): void {
  const version = headerOf(headers, 'mcp-protocol-version');
  if (version === undefined || legacyVersions.some((one) => one === version)) return;
  if (modernVersions.some((one) => one === version)) {
    throw new ProtocolError(
      400,
      errorCodes.params,
      `A request of ${version} names ${metaKeys.version} and ${metaKeys.capabilities} in params._meta`,
    );
  }
  throw unknownVersion(version, [...modernVersions, ...legacyVersions]);
}

function requireModern(
  { id, method, params }: Pick<Message, 'id' | 'method' | 'params'>,
  version: unknown,
  meta: JsonObject,
  headers: Headers,
): void {
  const [named, asked, tool] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map((name) =>
    headerOf(headers, name),
  );
  const mismatch = (what: string) =>
    new ProtocolError(400, errorCodes.headers, `The headers and the body disagree: ${what}`);
  const isNotification = id === undefined;
  if (named !== version && !(isNotification && named === undefined)) {
    throw mismatch(`MCP-Protocol-Version must be ${String(version).slice(0, 40)}`);
  }
  if (!modernVersions.some((one) => one === version)) {
    throw unknownVersion(String(version), modernVersions);
  }
  if (asked !== method && !(isNotification && asked === undefined)) {
    throw mismatch(`Mcp-Method must be ${method}`);
  }
  if (method === 'tools/call' && typeof params.name === 'string' && decoded(tool) !== params.name) {
    throw mismatch(`Mcp-Name must be ${params.name}`);
  }
  if (!isNotification && !isJsonObject(meta[metaKeys.capabilities])) {
    throw new ProtocolError(400, errorCodes.params, `_meta lacks ${metaKeys.capabilities}`);
  }
}

/** @param supported those that the sender can choose from: in the new era what `server/discover` lists */
const unknownVersion = (requested: string, supported: readonly string[]): ProtocolError =>
  new ProtocolError(
    400,
    errorCodes.version,
    `The protocol version ${requested.slice(0, 40)} is not known`,
    {
      supported,
      requested: requested.slice(0, 40),
    },
  );

/** A value of a header that may be written as `=?base64?…?=`. */
function decoded(text: string | undefined): string | undefined {
  if (text === undefined || !text.startsWith('=?base64?') || !text.endsWith('?=')) return text;
  return Buffer.from(text.slice('=?base64?'.length, -2), 'base64').toString();
}

/** What a server says of itself. */
export interface Identity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** How long a client may take the list of tools for the same, in milliseconds. */
const listTtlMs = 60_000;
const cacheable: readonly string[] = ['server/discover', 'tools/list'];

/**
 * The text of an answer.
 * @param result members of the result, each as JSON text
 */
export function answerText(
  { id = null, method, isModern }: Message,
  result: Readonly<Record<string, string>>,
  identity: Identity,
): string {
  const members = Object.entries({
    ...result,
    ...(isModern && {
      resultType: '"complete"',
      _meta: JSON.stringify({ [metaKeys.server]: identity }),
      // What a token may do can change with its user, so no cache may share it.
      ...(cacheable.includes(method) && { ttlMs: String(listTtlMs), cacheScope: '"private"' }),
    }),
  });
  const written = members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join();
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${written}}}`;
}

/** The text of an answer to what cannot be done. */
export const errorText = (id: Id, { code, message, data }: ProtocolError): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } });
