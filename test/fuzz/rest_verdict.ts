/** What is wrong with an answer of the REST interface. */
import { isDeepStrictEqual } from 'node:util';
import { openapi } from '../../src/rest/openapi/document.ts';
import { Documentation } from '../kit/conforms.ts';
import type { Draft } from './draft.ts';
import { headersOf } from './operations.ts';
import { isJson } from './pool.ts';
import type { Answer } from './wire.ts';

/** What is wrong, as an error whose message distinguishes kinds of faults. */
export class Wrong extends Error {}

/** The body of an answer as JSON; undefined for none. */
export function jsonOf({ text, headers }: Answer): unknown {
  if (text === '') return undefined;
  const type = headers.get('content-type');
  if (type !== 'application/json; charset=utf-8') throw new Wrong(`the content type is ${type}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Wrong('the body is no JSON');
  }
}

const documentation = new Documentation(openapi());

/** A request id that is kept where a client gives one. */
const sane = /^[\w.:-]{1,128}$/;

/** What every answer has, of whichever interface. @throws {Wrong} */
export function judgeCommon(draft: Draft, answer: Answer, marker: string): void {
  const { status, headers, bytes } = answer;
  if (status >= 500) throw new Wrong(`${status}: ${answer.text.slice(0, 200)}`);
  if (bytes.includes(marker)) throw new Wrong("holds the other account's marker");
  const id = headers.get('x-request-id') ?? '';
  if (!sane.test(id)) throw new Wrong(`X-Request-Id is "${id}"`);
  const [given, ...more] = draft.headers.filter(([name]) => name === 'X-Request-Id');
  const isRead = given && more.length === 0 && !draft.alsoDue.includes(status) && status !== 431;
  if (isRead && sane.test(given[1]) !== (given[1] === id)) {
    throw new Wrong('X-Request-Id is not the one that was given, or should not be');
  }
  if (draft.who === 'nobody' && draft.path.startsWith('/api/') && status < 300) {
    throw new Wrong('is done without a token');
  }
}

/**
 * @returns the path of the operation that answered, as the document has it; undefined for none
 * @throws {Error} saying what is not as documented
 */
export function judgeRest(draft: Draft, answer: Answer, marker: string): string | undefined {
  judgeCommon(draft, answer, marker);
  const { status, headers } = answer;
  const path = placeOf(draft);
  // Pages and files have their own kinds of bodies, and tests of their own.
  if (!path.startsWith('/api/') && status === 200) return undefined;
  const body = draft.method === 'HEAD' ? undefined : jsonOf(answer);
  if (status >= 400 && draft.method !== 'HEAD') judgeError(body, headers.get('x-request-id'));
  if (draft.alsoDue.includes(status) || (status === 431 && isLong(draft))) return undefined;
  if (status === 413 && isLarge(draft)) return undefined;
  if (status === 417 && draft.headers.some(([name]) => name === 'Expect')) return undefined;
  if (status >= 400 && isOdd(path)) return undefined;
  const template = documentation.conforms({
    method: draft.method,
    path: decoded(path),
    status,
    body,
  });
  if (template === undefined) return undefined;
  for (const header of headersOf(draft.method, template, status)) {
    if (!headers.has(header)) throw new Wrong(`${status} lacks ${header}`);
  }
  if (status === 405 && !headers.get('allow')) throw new Wrong('405 lacks Allow');
  if (status !== 405 && headers.get('cache-control') !== 'no-store') {
    throw new Wrong(`${status} may be cached`);
  }
  if (status < 300 && template === draft.operation?.template) judgeEcho(draft, body);
  return template;
}

/** The path, whether or not the address names the service before it or ends with a slash. */
export const placeOf = ({ path }: Draft): string =>
  path.replace(/^https:\/\/localhost/, '').replace(/(?<=.)\/+$/, '');

/** Whether it may be too much for Node's parser, which takes 16 KiB before the body. */
const isLong = ({ search, headers, authorization = '' }: Draft): boolean =>
  search.length + authorization.length + headers.flat().join().length > 14_000;

/** Whether the body is more than the service takes. */
export const isLarge = ({ body }: Draft): boolean => (body?.length ?? 0) > 2 ** 20;

/** Whether the router may know nothing of a path that a client could mean an operation by. */
const isOdd = (path: string): boolean =>
  path
    .split('/')
    .some((part, at) => part.length > 500 || (at > 0 && part === '') || !isDecodable(part));

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** A path as a router reads it. */
const decoded = (path: string): string =>
  path.replaceAll(/%[2-7][\da-f]/gi, (code) => {
    const character = decodeURIComponent(code);
    return /[/?#]/.test(character) ? code : character;
  });

function judgeError(body: unknown, id: string | undefined): void {
  if (!isJson(body)) throw new Wrong('a refusal has no body');
  if (body.request_id !== id) throw new Wrong('the request id of header and body differ');
}

/** `custom_attributes` come back as they were sent. */
function judgeEcho({ operation, method, body: sent }: Draft, body: unknown): void {
  if (!operation?.fields || method !== operation.method || !sent?.length || !isJson(body)) return;
  const input: unknown = JSON.parse(new TextDecoder().decode(sent));
  if (!isJson(input) || !isJson(input.custom_attributes)) return;
  if (!isDeepStrictEqual(input.custom_attributes, body.custom_attributes)) {
    throw new Wrong('custom_attributes come back altered');
  }
}
