/**
 * Entity tags of answers that are one record (RFC 9110, 8.8.3). Clients are to take them as they
 * are; they have two parts, divided by a dot: the version of the record, which a later write can
 * ask for, and a digest of the answer, which differs whenever anything in it does, records that
 * belong to it included.
 */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Precondition } from '../../context/context.ts';
import { changedSince, Fault } from '../../errors/errors.ts';

/**
 * The tag of an answer.
 * @param body of an answer that may be asked for again; that to a write is never asked for
 */
export const entityTag = (version: string, body?: string): string =>
  body === undefined ? `"${version}"` : `"${version}.${hash('sha1', body, 'base64url')}"`;

/** The tag of content that is the same for everyone. */
export const contentTag = (content: Buffer): string => `"${hash('sha1', content, 'base64url')}"`;

/**
 * The tag of the same answer in another encoding, which has other bytes and so another tag.
 * @param tag as {@link entityTag} made it
 */
export const encodedTag = (tag: string, encoding: string): string =>
  `${tag.slice(0, -1)}.${encoding}"`;

/**
 * Whether a client has an answer already, in whatever encoding: `If-None-Match` holds its tag, or is `*`.
 */
export function isKnown({ headers }: Pick<FastifyRequest, 'headers'>, tag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined) return false;
  if (known.trim() === '*') return true;
  const own = tag.slice(1, -1);
  return quotedIn(known).some((text) => text === own || text.startsWith(`${own}.`));
}

/** What stands before a tag in a list (blanks and commas part them), with the sign of a weak one. */
const before = /^[\t ,]*(?:W\/)?$/;
const opaque = /^[\x21\x23-\x7e\x80-\xff]*$/;

interface Tag {
  readonly isWeak: boolean;
  readonly text: string;
}

/** @returns the tags of a list; undefined for what is none (RFC 9110, 13.1.1) */
function readTags(list: string): readonly Tag[] | undefined {
  const pieces = list.split('"');
  const end = pieces.pop() ?? '';
  if (pieces.length === 0 || pieces.length % 2 === 1 || !isParting(end)) return undefined;
  const tags: Tag[] = [];
  for (let at = 0; at < pieces.length; at += 2) {
    const [lead = '', text = ''] = pieces.slice(at, at + 2);
    const isParted = at === 0 || (lead !== '' && isParting(lead.charAt(0)));
    if (!isParted || !before.test(lead) || !opaque.test(text)) return undefined;
    tags.push({ isWeak: lead.endsWith('/'), text });
  }
  return tags;
}

const isParting = (text: string): boolean => /^[\t ,]*$/.test(text);

const exists = 'The record exists, and If-None-Match: * demands that it does not';
const weak =
  'A weak tag (W/) in If-Match never matches: send the tag as ETag has it (RFC 9110, 13.1.1)';

/**
 * What the headers of a request demand of the version of the record that it changes or removes (RFC 9110,
 * 13.1): `If-Match` names those that it may have, `If-None-Match` those that it may not have. Only strong tags
 * count in `If-Match`: weak ones are not for comparing bytes.
 * @returns undefined where it may have any
 * @throws {Fault} BAD_USER_INPUT for what is neither `*` nor a list of tags
 */
export function preconditionOf({
  headers,
}: Pick<FastifyRequest, 'headers'>): Precondition | undefined {
  const match = tagsOf('If-Match', headers['if-match']);
  const none = tagsOf('If-None-Match', headers['if-none-match']);
  if (none === 'any') return { among: [], refusals: [exists] };
  const except = none?.map(versionIn);
  if (match === undefined || match === 'any') return except && { except };
  const strong = match.filter(({ isWeak }) => !isWeak);
  const refusals = [
    ...(strong.length > 0 ? [changedSince] : []),
    ...(strong.length < match.length ? [weak] : []),
  ];
  return { among: strong.map(versionIn), except, refusals };
}

/** @throws {Fault} BAD_USER_INPUT */
function tagsOf(header: string, list: string | undefined): readonly Tag[] | 'any' | undefined {
  if (list === undefined) return undefined;
  if (list.trim() === '*') return 'any';
  const tags = readTags(list);
  if (tags) return tags;
  throw new Fault('BAD_USER_INPUT', [
    `${header} must be * or tags as ETag has them, in their quotes: "1042.mJ9PyFhXp0ikZnHNPi0qF0OJV8Y"`,
  ]);
}

const versionIn = ({ text }: Tag): string => text.split('.', 1).join();

/** What stands between quotes, whatever stands around them. */
const quotedIn = (list: string): readonly string[] =>
  list.split('"').filter((_, at, { length }) => at % 2 === 1 && at < length - 1);
