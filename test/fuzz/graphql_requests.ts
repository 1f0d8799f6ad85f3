/** Requests of GraphQL: documents as they should be, or with up to three things changed. */
import { mutateBody, spoil } from './body_mutations.ts';
import { type Document, rawEnvelope, rootFields, Writer } from './documents.ts';
import { type Draft, draftOf } from './draft.ts';
import type { Random } from './random.ts';
import { type Raw, type RawObject, writeRaw } from './raw_json.ts';
import { mutateRequest } from './rest_mutations.ts';
import type { Account } from './rest_requests.ts';
import { hostile, text } from './values.ts';

/**
 * A document as it should be, or with up to three things changed, once it is known what is as it should be.
 * @param at which root field comes first, so that each has its turn
 */
export function graphqlRequest(random: Random, at: number, account: Account): Draft {
  const [kind, first] = rootFields[at % rootFields.length] ?? random.pick(rootFields);
  const others = rootFields.filter(([of]) => of === kind).map(([, field]) => field);
  const { name } = first;
  const isProven = account.isProven(name);
  const more = isProven && random.chance(0.25) ? random.many(1, 4, () => random.pick(others)) : [];
  const document = new Writer(random, account).document(kind, [first, ...more]);
  const draft = draftOf({ name, operation: undefined, method: 'POST', path: '/graphql' });
  draft.who = random.chance(0.85) || !isProven ? 'admin' : 'member';
  draft.contentType = 'application/json';
  const usual = random.among([
    [45, () => 0],
    [35, () => 1],
    [20, () => random.between(2, 3)],
  ]);
  const changes = isProven ? usual : 0;
  let envelope = rawEnvelope(document.text, document.variables);
  const later: (() => void)[] = [];
  for (let n = 0; n < changes; n++) {
    random.among([
      [4, () => mutateBody(random, document.variables, account.pool)],
      [4, () => void (envelope = rawEnvelope(changedText(random, document), document.variables))],
      [1, () => void (envelope = changedEnvelope(random, document))],
      [0.3, () => mutateBody(random, envelope, account.pool)],
      [1.5, () => void later.push(() => mutateRequest(random, draft, account.pool))],
    ]);
  }
  draft.body =
    changes > 1 && random.chance(0.1) ? spoil(random, envelope) : Buffer.from(writeRaw(envelope));
  for (const change of later) change();
  return draft;
}

const repeat = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join(' ');

/** Documents that are beyond a limit, or odd from end to end. */
const oddDocuments: readonly ((random: Random) => string)[] = [
  (random) => `{ ${repeat(random.pick([30, 31, 500]), (at) => `a${at}: __typename`)} }`,
  (random) => `{ ${repeat(random.pick([20, 21]), () => '__typename')} }`,
  (random) => `{ __typename ${'@include(if: true) '.repeat(random.pick([50, 51, 300]))} }`,
  (random) => '{a'.repeat(random.pick([12, 13, 3000])),
  (random) => `{ contacts(query: ${'['.repeat(random.pick([10, 900, 5000]))} }`,
  () => '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
  () => '{ ...A } fragment A on Nothing { id }',
  () => 'subscription { x }',
  () => 'query A { __typename } query B { __typename }',
  () => 'type Query { a: Int }',
  () => '{ __schema { types { name fields { name type { name ofType { name } } } } } }',
  () => '{ __type(name: "Contact") { name } __proto__: __typename }',
  () => '{ __typename } # \u0000 é 😀',
  (random) => `{ __typename ${'#\n'.repeat(random.pick([10, 5000]))} }`,
  (random) => `{ __typename ${' '.repeat(random.pick([10, 262_144]))} }`,
  () => 'query ($a: Nothing!) { __typename }',
  () => 'query ($a: Boolean! = true) { __typename @skip(if: $a) }',
  () => 'query ($a: Integer!, $a: Integer!) { contact(account_id: $a, id: $a) { id } }',
];

function changedText(random: Random, { text: whole }: Document): string {
  const tokens = whole.split(/(?<=\W)|(?=\W)/);
  const at = random.below(tokens.length);
  return random.among<string>([
    [3, () => tokens.with(at, random.pick(tokens)).join('')],
    [2, () => tokens.toSpliced(at, 1).join('')],
    [1, () => tokens.toSpliced(at, 0, random.pick(tokens)).join('')],
    [
      1,
      () =>
        tokens
          .with(at, random.pick([...'{}()[]:$@!"&|=.', '"""', '...', 'null', '-', '\u0000']))
          .join(''),
    ],
    [
      1,
      () => whole.replace(/\d+/, random.pick(['-1', '1.5', '1e400', '"x"', 'null', '{}', '[[1]]'])),
    ],
    [
      1,
      () =>
        whole.replace(/(?<=: )"[^"]*"/, random.pick(['"\\ud800"', '"""a\n"""', '"\\u{110000}"'])),
    ],
    [
      1,
      () =>
        whole.replace(/\bid\b/, random.pick(['__proto__: id', 'nothing', 'id(a: 1)', 'id { id }'])),
    ],
    [2, () => random.pick(oddDocuments)(random)],
  ]);
}

function changedEnvelope(random: Random, { text: query, variables }: Document): RawObject {
  return random.among<RawObject>([
    [1, () => rawEnvelope(query, hostile(random))],
    [1, () => rawEnvelope(query, writeRaw({ entries: variables.entries.slice(1) }))],
    [1, () => rawEnvelope(query, JSON.stringify(writeRaw(variables)))],
    [
      2,
      () =>
        rawEnvelope(query, variables, random.pick(['"Fuzz"', '"Other"', '""', '1', '{}', 'null'])),
    ],
    [1, () => with_('extensions', random.chance(0.5) ? persisted : hostile(random))],
    [1, () => with_(text(random, 8), hostile(random))],
    [1, () => ({ entries: [['"query"', hostile(random)]] })],
    [0.5, () => ({ entries: [['"extensions"', persisted]] })],
  ]);

  function with_(name: string, value: Raw): RawObject {
    const { entries } = rawEnvelope(query, variables);
    return { entries: [...entries, [JSON.stringify(name), value]] };
  }
}

const persisted = `{"persistedQuery":{"version":1,"sha256Hash":"${'0'.repeat(64)}"}}`;
