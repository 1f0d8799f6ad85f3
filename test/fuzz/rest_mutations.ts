/** What is done to requests: to their method, address, headers and body. */
import { mutateBody, spoil } from './body_mutations.ts';
import type { Draft } from './draft.ts';
import { type Operation, singular } from './operations.ts';
import type { Pool } from './pool.ts';
import type { Random } from './random.ts';
import { type RawObject, writeRaw } from './raw_json.ts';
import { type Account, validRequest } from './rest_requests.ts';
import { brackets, excessiveQuery } from './searches.ts';
import { freeObject, text } from './values.ts';

type Mutation = (random: Random, draft: Draft, pool: Pool) => void;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

const method: Mutation = (random, draft) => {
  draft.method = random.pick(methods);
  if (random.chance(0.05)) {
    draft.method = random.pick(['get', 'FOO', 'QUERY']);
    draft.alsoDue.push(400);
  }
};

const oddIds = [
  ...[
    '0',
    '-1',
    '1.0',
    '01',
    '+1',
    '1e3',
    'abc',
    '%00',
    '%F0%9F%98%80',
    '%ED%A0%80',
    '..',
    '%2e%2e',
  ],
  ...[
    '9007199254740991',
    '9007199254740992',
    '9223372036854775808',
    '%20',
    '1%20',
    '1;a=b',
    'null',
  ],
  ...['1%2F2', "'", '%27%20OR%201=1--', '{id}', '__proto__', 'constructor', '%', '%zz', '1%0a'],
  '1'.repeat(499),
  '1'.repeat(501),
];

const pathId: Mutation = (random, draft, pool) => {
  const segments = draft.path.split('/');
  const ids = [...segments.keys()].filter((at) => /^\d+$/.test(segments[at] ?? ''));
  if (ids.length === 0) return;
  const at = random.pick(ids);
  const type = singular(segments[at - 1] ?? '');
  const foreign = String(pool.foreign(random, type));
  segments[at] = random.chance(0.4) ? foreign : random.pick(oddIds);
  draft.path = segments.join('/');
};

const address: Mutation = (random, draft) => {
  draft.path = random.among([
    [1, () => `${draft.path}/`],
    [1, () => draft.path.replace('/contacts', '//contacts')],
    [1, () => `${draft.path}/${random.pick(['x', 'search', 'upsert', 'events', '%2e', ''])}`],
    [1, () => draft.path.toUpperCase()],
    [1, () => draft.path.replace('v1', random.pick(['v2', 'v1.', 'v1%00']))],
    [1, () => draft.path.replaceAll('s', '%73')],
    [1, () => draft.path.slice(0, random.between(1, draft.path.length))],
    [1, () => `${draft.path};jsessionid=1`],
    [0.3, () => `https://localhost${draft.path}`],
    [
      0.3,
      () => random.pick(['/', '/docs', '/schema.graphql', '/openapi.json', '/livez', '/nothing']),
    ],
  ]);
};

const searches = [
  ...['page=0', 'page=', 'page=1&page=2', 'page[]=1', 'page[a]=1', 'per_page=101', 'page=1e400'],
  ...[
    'query=',
    'query[]=x',
    'query=x',
    'query[__proto__][a]=1',
    'query[constructor]=1',
    '__proto__=1',
  ],
  ...[
    'query[id_eq',
    'query]id_eq[=1',
    'query[[id_eq]]=1',
    '%00=1',
    '%ED%A0%80=1',
    'query[id_eq]=%ff',
  ],
  ...['full_name_cont=x', '&&&', '?', 'a=b=c', '%', 'query%5Bid_eq%5D=1', 'query[s]=id+desc'],
  ...[
    'query[m]=xor',
    'query[g][0][m]=or',
    'query[c][0][a][0][name]=id',
    'token=x',
    '_method=DELETE',
  ],
  `query${'[a]'.repeat(40)}=1`,
  new Array(1100).fill('query[id_in][]=1').join('&'),
];

const search: Mutation = (random, draft) => {
  const { searches: resource } = draft.operation ?? {};
  const more = random.chance(0.3)
    ? brackets(excessiveQuery(random, resource ?? 'contacts'), 'query')
        .slice(0, 300)
        .join('&')
    : random.pick(searches);
  draft.search = [draft.search, more].filter(Boolean).join('&');
  if (draft.search.length > 8000) draft.alsoDue.push(431);
};

const authorization: Mutation = (random, draft) => {
  if (random.chance(0.5)) {
    draft.who = random.pick(['member', 'foreign', 'nobody']);
    return;
  }
  draft.who = 'nobody';
  draft.authorization = random.pick([
    ...[
      '',
      'Bearer',
      'Bearer ',
      'Bearer x',
      'bearer a.b.c',
      'Basic YTpi',
      'Bearer a.b.c d',
      'Token t',
    ],
    ...['Bearer "a.b.c"', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.', 'Bearer ..', 'Bearer é'],
    `Bearer ${'a'.repeat(9000)}`,
  ]);
};

const oddHeaders: readonly (readonly [string, string])[] = [
  ['X-Request-Id', ''],
  ['X-Request-Id', 'a b'],
  ['X-Request-Id', 'x'.repeat(129)],
  ['X-Request-Id', '<script>'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Accept', 'text/html'],
  ['Accept', '*/*;q=0'],
  ['Accept-Encoding', 'gzip, br, zstd'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'identity'],
  ['Cookie', 'a=b; __proto__=1'],
  ['If-None-Match', '*'],
  ['If-Match', '"x"'],
  ['Range', 'bytes=0-1'],
  ['Origin', 'https://example.com'],
  ['Access-Control-Request-Method', 'PUT'],
  ['X-Forwarded-Proto', 'http'],
  ['X-Forwarded-For', '127.0.0.1'],
  ['Forwarded', 'for=1;proto=http'],
  ['Prefer', 'handling=strict'],
  ['Connection', 'close'],
  ['Connection', 'x, y'],
  ['Expect', '100-continue'],
  ['TE', 'trailers'],
  ['Upgrade', 'websocket'],
  ['Accept-Language', 'x'.repeat(2000)],
  ['__proto__', '1'],
  ['constructor', '1'],
];

const header: Mutation = (random, draft) => {
  // Unlike any other, or the trail of one request would pass for that of another.
  const own = ['X-Request-Id', `fuzz:${random.below(2 ** 48)}`] as const;
  const [name, value] = random.chance(0.1) ? own : random.pick(oddHeaders);
  draft.headers.push([name, value]);
};

/** What Node's parser may refuse before there is a request, with the status that it then gives. */
const heads: readonly (readonly [number, (lines: string[]) => string])[] = [
  [417, (lines) => [...lines, 'Expect: the unexpected', '', ''].join('\r\n')],
  [400, (lines) => [...lines, 'no colon', '', ''].join('\r\n')],
  [400, (lines) => [...lines, 'X: a\u0000b', '', ''].join('\r\n')],
  [400, (lines) => [...lines, ' folded: x', '', ''].join('\r\n')],
  [400, (lines) => [...lines.filter((line) => !line.startsWith('Host')), '', ''].join('\r\n')],
  [400, (lines) => [...lines, 'Transfer-Encoding: x', '', ''].join('\r\n')],
  [400, (lines) => [...lines, 'Content-Length: x', '', ''].join('\r\n')],
  [400, (lines) => [...lines, 'Host: other', '', ''].join('\r\n')],
  [431, (lines) => [...lines, `X: ${'x'.repeat(20_000)}`, '', ''].join('\r\n')],
  [400, ([first = '', ...lines]) => [first.replace('1.1', '3.0'), ...lines, '', ''].join('\r\n')],
  [400, ([first = '', ...lines]) => [first.replace(' ', '  '), ...lines, '', ''].join('\r\n')],
];

const head: Mutation = (random, draft) => {
  const [status, write] = random.pick(heads);
  draft.alsoDue.push(status);
  draft.head = write;
  draft.headers.push(['Connection', 'close']);
};

const types = [
  ...[undefined, '', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'x'],
  ...[
    'application/json; charset=utf-16',
    'APPLICATION/JSON',
    'application/json;',
    'application/jso',
  ],
  ...['application/vnd.api+json', 'text/json', 'application/json, text/plain', '*/*', 'é/ü'],
];

const contentType: Mutation = (random, draft) => {
  draft.contentType = random.pick(types);
};

const strangeBody: Mutation = (random, draft) => {
  draft.body = random.chance(0.5)
    ? Buffer.from(random.pick(['x', '{}', '', `{"a":"${text(random)}"}`]))
    : spoil(random, freeObject(random));
};

const mutations: readonly (readonly [number, Mutation])[] = [
  [1.5, method],
  [2.5, pathId],
  [1, address],
  [1.5, search],
  [1.5, authorization],
  [2, header],
  [0.3, head],
  [1, contentType],
  [0.7, strangeBody],
];

/** Changes one thing about a request beside its JSON. */
export function mutateRequest(random: Random, draft: Draft, pool: Pool): void {
  const mutation = random.among(mutations.map(([weight, made]) => [weight, () => made] as const));
  mutation(random, draft, pool);
  // Another account's user may see what is that account's.
  const own = `/accounts/${pool.foreign(random, 'account')}`;
  if (draft.who === 'foreign' && draft.path.includes(own)) draft.who = 'member';
  // What the parser refuses has a body even so.
  if (draft.head && draft.method === 'HEAD') draft.method = 'GET';
}

/**
 * A request for an operation: as it should be, or with up to three things changed, once it is known what is
 * as it should be.
 */
export function restRequest(random: Random, operation: Operation, account: Account): Draft {
  const { draft, body } = validRequest(random, operation, account);
  const isProven = account.isProven(draft.name);
  draft.who = random.chance(0.8) || !isProven ? 'admin' : 'member';
  const usual = random.among([
    [40, () => 0],
    [35, () => 1],
    [25, () => random.between(2, 3)],
  ]);
  const changes = isProven ? usual : 0;
  const ofBody = body === undefined ? 0 : random.between(0, changes);
  if (body !== undefined) {
    for (let n = 0; n < ofBody; n++) if (isObject(body)) mutateBody(random, body, account.pool);
    if (operation.searches !== undefined && isObject(body) && random.chance(0.05)) {
      body.entries.push(['"query"', JSON.stringify(excessiveQuery(random, operation.searches))]);
    }
    draft.contentType = 'application/json';
    const spoilt = ofBody > 0 && random.chance(0.12);
    draft.body = spoilt ? spoil(random, body) : Buffer.from(writeRaw(body));
  }
  for (let n = ofBody; n < changes; n++) mutateRequest(random, draft, account.pool);
  return draft;
}

const isObject = (body: unknown): body is RawObject =>
  typeof body === 'object' && body !== null && 'entries' in body;
