/** All that makes something of a text which a client sends. */
import { parse } from 'graphql';
import { clientOf } from '../../src/auth/client.ts';
import { readScopes } from '../../src/auth/scopes.ts';
import { durationSeconds } from '../../src/config/duration.ts';
import { divider } from '../../src/csv/divide.ts';
import { defuse, undefuse } from '../../src/csv/formula.ts';
import { openSheet } from '../../src/csv/open.ts';
import { csvRow, listCell } from '../../src/csv/write.ts';
import { raw } from '../../src/db/sql/sql.ts';
import { unstorable } from '../../src/db/sql/storable.ts';
import { didYouMean } from '../../src/errors/did_you_mean.ts';
import { excessOfText, limits } from '../../src/graphql/guard/limits.ts';
import { isCompressed } from '../../src/http/body.ts';
import { encodingFor } from '../../src/http/headers/encoding.ts';
import { isKnown, preconditionOf } from '../../src/http/headers/etag.ts';
import { readForwarded } from '../../src/http/headers/forwarded.ts';
import { requireKey } from '../../src/http/headers/idempotency_key.ts';
import { isStrict } from '../../src/http/headers/preferences.ts';
import { requestId } from '../../src/http/headers/request_id.ts';
import { secretIn } from '../../src/http/headers/session_cookie.ts';
import { centsOf } from '../../src/import/amounts.ts';
import { cellOf } from '../../src/import/cells.ts';
import { plainName } from '../../src/import/headers.ts';
import { labelsIn } from '../../src/import/labels.ts';
import { guess } from '../../src/import/mapping.ts';
import { momentOf } from '../../src/import/moments.ts';
import { targetOf } from '../../src/import/targets.ts';
import { hasMoreValues, mergePatch, parseJson } from '../../src/json/json.ts';
import { readInteger } from '../../src/lib/integer.ts';
import { splitList } from '../../src/lib/list_text.ts';
import { toNfc } from '../../src/lib/nfc.ts';
import { readCursor } from '../../src/resources/changes/cursor.ts';
import { normalisePhone } from '../../src/resources/contacts/phone.ts';
import type { Field } from '../../src/resources/kernel/fields/input.ts';
import { foldCase, singleLine } from '../../src/resources/kernel/fields/single_line.ts';
import { readTimeZone } from '../../src/resources/kernel/fields/time_zone.ts';
import { resources, shapes } from '../../src/resources/shapes.ts';
import { ignoredFieldsHeader } from '../../src/rest/ignored_fields.ts';
import { Parts } from '../../src/rest/part.ts';
import { parameters } from '../../src/rest/query_string.ts';
import { readPageCursor } from '../../src/search/cursor.ts';
import { parseSearch } from '../../src/search/parse.ts';
import { predicates } from '../../src/search/predicates.ts';
import { readTime } from '../../src/search/time.ts';
import type { Readers } from './reading_times.ts';

/** The fields of all records, each as a text and as a list of it; those that are read alike once. */
function fieldReaders(): Readers {
  const known = new Map<Field<unknown>, string>();
  for (const [resource, { fields }] of Object.entries(resources)) {
    for (const [name, field] of Object.entries(fields)) {
      if (!known.has(field)) known.set(field, `${resource}.${name}`);
    }
  }
  const readers: Record<string, (text: string) => unknown> = {};
  for (const [field, name] of known) {
    readers[name] = (text) => field.read(text, () => undefined);
    readers[`${name} as a list`] = (text) => field.read([text], () => undefined);
  }
  return readers;
}

const search = (query: unknown) => parseSearch(query, 'contacts', shapes);

/** Searches, as far as the statement that they become. */
function searchReaders(): Readers {
  const readers: Record<string, (text: string) => unknown> = {
    'a search by a key': (text) => search({ [text]: 1 }),
    'a search by an attribute': (text) => search({ [`${text}_eq`]: 1 }),
    'a search by a key of attributes': (text) => search({ [`custom_attributes.${text}_eq`]: 1 }),
    'a search by a label': (text) => search({ label_list_eq: text }),
    'a search by a number': (text) => search({ id_eq: text }),
    'a search by a time': (text) => search({ created_at_gteq: text }),
    'sorts of a search': (text) => search({ s: text }),
    'the connective of a search': (text) => search({ m: text }),
    'groups of a search': (text) => search({ g: text }),
    'a condition of a search': (text) => search({ c: [{ a: [text], p: text, v: [text] }] }),
    'a time': readTime,
    'the cursor of a search': (text) => readPageCursor([], text),
    'the packed cursor of a search': (text) =>
      readPageCursor([], Buffer.from(text).toString('base64url')),
  };
  for (const { name, on, takes } of predicates) {
    if (!on.includes('text') || takes === 'flag') continue;
    readers[`a search by ${name}`] = (text) => {
      const [condition] = search({ [`full_name_${name}`]: text }).where.conditions;
      for (const values of condition?.values ?? []) {
        condition?.predicate.test(raw('full_name'), 'text', values);
        condition?.predicate.trigrams?.help(values);
        condition?.predicate.trigrams?.findWithin(values);
      }
    };
  }
  return readers;
}

const parts = new Parts('contact');

const headerReaders: Readers = {
  'Accept-Encoding': encodingFor,
  'If-Match': (text) => preconditionOf({ headers: { 'if-match': text } }),
  'If-None-Match': (text) => isKnown({ headers: { 'if-none-match': text } }, '"1.x"'),
  Prefer: (text) => isStrict({ headers: { prefer: text } }),
  Cookie: (text) => secretIn({ headers: { cookie: `__Host-session=${text}` } }),
  'Idempotency-Key': requireKey,
  'X-Forwarded-For': readForwarded,
  'X-Request-Id': (text) => requestId({ headers: { 'x-request-id': text } }),
  'Content-Encoding': isCompressed,
  'the address of a client': clientOf,
  'X-Ignored-Fields': (text) => ignoredFieldsHeader(text.split(',')),
  'a query string': parameters,
  'values of a query string': (text) => parameters(`q=${text}`),
  'nested names of a query string': (text) => parameters(`query[${text}]=1&query[a][${text}`),
  'fields=': (text) => parts.read({ fields: text }),
  'a cursor of changes': readCursor,
  'a packed cursor of changes': (text) => readCursor(Buffer.from(text).toString('base64url')),
};

const parsed = (text: string) => {
  if (excessOfText(text) !== undefined) return;
  parse(text, { maxTokens: limits.tokens });
};

const textReaders: Readers = {
  JSON: parseJson,
  'a text in JSON': (text) => parseJson(JSON.stringify(text)),
  'JSON that does not end': (text) => parseJson(`{"a":"${text}`),
  'keys of JSON': (text) => parseJson(JSON.stringify({ [text]: { [text]: [text] } })),
  'values of JSON': (text) => hasMoreValues(Buffer.from(text), 50_000),
  'a merge patch': (text) => mergePatch('{"a":1}', JSON.stringify({ [text]: text })),
  'a document': parsed,
  'a text in a document': (text) => parsed(`{ contacts(query: {id_eq: ${JSON.stringify(text)}})`),
  'a block in a document': (text) => parsed(`{ contacts(query: {id_eq: """${text}`),
  'a name in a document': (text) => parsed(`{ a${text}(b: 1) { c } }`),
  'an integer': readInteger,
  'a phone': (text) => normalisePhone(text, 'BR'),
  'a time zone': readTimeZone,
  'a length of time': durationSeconds,
  'a single line': singleLine,
  'letters of either case': foldCase,
  'a composed text': toNfc,
  'what cannot be stored': unstorable,
  'a list in a text': splitList,
  scopes: (text) => readScopes([text]),
  'a name that is meant': (text) => didYouMean(text, ['full_name', 'email']),
};

const bytesOf = (text: string) =>
  async function* () {
    yield Buffer.from(text);
  };

const kinds = [
  'amount',
  'code',
  'flag',
  'integer',
  'labels',
  'moment',
  'phone',
  'json',
  'word',
  'plain',
] as const;

const csvReaders: Readers = {
  'a file of CSV': async (text) => {
    const { rows } = await openSheet(bytesOf(text));
    for await (const _ of rows);
  },
  'rows of CSV': (text) => divider(',')(text, true),
  'a cell with a formula': undefuse,
  'a cell that may be a formula': defuse,
  'a row that is written': (text) => csvRow([text, text]),
  'a list that is written': (text) => listCell(text.split(' ')),
  'an amount in a cell': centsOf,
  'a moment in a cell': (text) => momentOf(text, 'month-first'),
  'labels in a cell': labelsIn,
  'a header': plainName,
  'the name of a target': (text) => targetOf('contacts', text, true),
  'headers that are mapped': (text) => guess('contacts', [text, 'email'], true),
  ...Object.fromEntries(
    kinds.map((kind) => [`a cell of ${kind}`, (text: string) => cellOf(kind, text, JSON)]),
  ),
};

export const readers: Readers = {
  ...fieldReaders(),
  ...searchReaders(),
  ...headerReaders,
  ...textReaders,
  ...csvReaders,
};

/** Those that once were worse than linear, or do what others rely on. */
export const fewReaders: Readers = Object.fromEntries(
  [
    'contacts.label_list',
    'contacts.email',
    'a search by end',
    'a search by cont',
    'a composed text',
    'a list in a text',
    'a packed cursor of changes',
    'a header',
    'JSON that does not end',
  ].flatMap((name) => {
    const read = readers[name];
    if (!read) throw new Error(`there is no reader of ${name}`);
    return [[name, read] as const];
  }),
);
