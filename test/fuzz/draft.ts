/** A request before it is sent, in pieces that can be changed one by one. */
import { isUtf8 } from 'node:buffer';
import type { Operation } from './operations.ts';

export type Who = 'admin' | 'member' | 'foreign' | 'nobody';

export interface Draft {
  /** What it began as, for reports. */
  readonly name: string;
  /** The same, where it is one of REST's. */
  readonly operation: Operation | undefined;
  method: string;
  path: string;
  /** Without its question mark. */
  search: string;
  who: Who;
  /** In place of the token's header. */
  authorization: string | undefined;
  /** Beside Host, Authorization, Content-Type and Content-Length. */
  readonly headers: [name: string, value: string][];
  contentType: string | undefined;
  body: Buffer | undefined;
  /** Statuses of HTTP itself that the request may be answered with, too. */
  readonly alsoDue: number[];
  /** The first line and the headers, for what no such pieces make. */
  head?: (lines: string[]) => string;
}

export interface Tokens {
  readonly admin: string;
  readonly member: string;
  /** Of a user of another account. */
  readonly foreign: string;
}

/** The bytes of a request. */
export function written(draft: Draft, tokens: Tokens): Buffer {
  const { method, path, search, who, authorization, headers, contentType, body } = draft;
  const token = who === 'nobody' ? undefined : `Bearer ${tokens[who]}`;
  const authorized = authorization ?? token;
  const lines = [
    `${method} ${path}${search === '' ? '' : `?${search}`} HTTP/1.1`,
    'Host: localhost',
    ...(authorized === undefined ? [] : [`Authorization: ${authorized}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
    ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
  ];
  const head = draft.head ? draft.head(lines) : `${lines.join('\r\n')}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'utf8'), body ?? Buffer.alloc(0)]);
}

/** Characters of a body that a report shows. */
const shown = 3000;

/** As a shell reads it, with what a terminal cannot show escaped. */
function quoted(text: string): string {
  const plain = text.replaceAll("'", String.raw`'\''`);
  const escaped = plain.replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[\u0000-\u001f\u007f-\u009f]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return escaped === plain ? `'${plain}'` : `$'${escaped}'`;
}

/** A draft of a request that is as it should be, until it is changed. */
export const draftOf = (given: Pick<Draft, 'name' | 'operation' | 'method' | 'path'>): Draft => ({
  ...given,
  search: '',
  who: 'admin',
  authorization: undefined,
  headers: [],
  contentType: undefined,
  body: undefined,
  alsoDue: [],
});

/** The request as a command that sends it again, where a command can. */
export function asCommand(bytes: Buffer): string {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...headers] = bytes.toString('utf8', 0, end).split('\r\n');
  const [method = '', path = ''] = first.split(/ +/);
  const body = isUtf8(bytes) ? bytes.toString('utf8', end + 4) : bytes.toString('latin1', end + 4);
  const part = body.length > shown ? `${body.slice(0, shown)}… (${body.length} characters)` : body;
  return [
    `curl -gk -X ${method} ${quoted(`$URL${path}`)}`,
    ...headers
      .filter((header) => !/^(Host|Content-Length): /.test(header))
      .map((header) => `-H ${quoted(header.replace(/eyJ\S+/, '$TOKEN').slice(0, 300))}`),
    ...(body === '' ? [] : [`--data-binary ${quoted(part)}`]),
  ].join(' ');
}
