import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { buildSchema, type GraphQLOutputType, getNamedType, Kind, parse, validate } from 'graphql';
import { noRoute, notAllowed, unauthorized } from '../kit/refusals.ts';
import { sharedService, startService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { world } from '../kit/world.ts';

const { sdl } = await shipped<typeof import('../../src/graphql/schema.ts')>('graphql/schema.js');

const service = await sharedService();

const get = (path: string, from = service) => from.client.send({ method: 'GET', path });

const isPage = (type: GraphQLOutputType) => getNamedType(type).name.endsWith('Page');

const filesOf = (html: string) =>
  [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, url]) => url ?? '');

test.each(['/console', '/console/any/page?of=it', '/graphiql', '/docs'])(
  'GET %s is a page that needs no token and loads nothing of others',
  async (path) => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-cache');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    // No script stands in the page itself, and no file comes from elsewhere.
    expect(text).not.toMatch(/<script(?![^>]* src="\/assets\/)/);
    expect(text).not.toMatch(/(?:src|<link[^>]* href)="(?!\/assets\/|data:,")/);
  },
);

test.each(['/console', '/graphiql', '/docs'])(
  'the files of %s may be kept for ever, under an address of their content',
  async (path) => {
    const files = filesOf((await get(path)).text).filter((file) => !file.startsWith('/docs/'));
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      const { status, headers, text } = await get(file);
      expect([file, status]).toEqual([file, 200]);
      expect(file).toMatch(/^\/assets\/([0-9a-f]{16}\/|console\/[\w-]+-[0-9A-Z]{8}\.)/);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['content-type']).toMatch(
        /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/,
      );
      expect(text.length).toBeGreaterThan(50);
    }
  },
);

test('GET /schema.graphql is the schema as it is written, to read in a browser', async () => {
  const { status, headers, text } = await get('/schema.graphql');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(text).toBe(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
  expect(() => buildSchema(text)).not.toThrow();
});

test('the page of the console may add no styles, and its policy is the same at each address', async () => {
  const [here, there] = await Promise.all([get('/console'), get('/console/sign-in')]);
  expect(here.headers['content-security-policy']).toContain("style-src 'self';");
  expect(here.headers['content-security-policy']).toContain('trusted-types push-worker;');
  expect(there.headers['content-security-policy']).toBe(here.headers['content-security-policy']);
  expect(there.text).toBe(here.text);
});

test('no source map of the console is served', async () => {
  for (const file of filesOf((await get('/console')).text)) {
    expect((await get(file)).text).not.toContain('sourceMappingURL');
    expect((await get(`${file}.map`)).status).toBe(404);
  }
});

test.each(['/console', '/graphiql', '/docs', '/schema.graphql', '/openapi.json'])(
  'POST %s is refused, GET and HEAD are not',
  async (path) => {
    const refused = await service.client.send({ method: 'POST', path });
    expect(refused).toAnswer(405, notAllowed);
    expect(refused.headers.allow).toBe('GET, HEAD');
    expect((await service.client.send({ method: 'HEAD', path })).status).toBe(200);
  },
);

test('an address of another content is not found', async () => {
  expect(await get('/assets/0000000000000000/graphiql.js')).toAnswer(404, noRoute);
});

test('GET / leads to the console', async () => {
  const { status, headers } = await get('/');
  expect([status, headers.location]).toEqual([302, '/console']);
});

test('without GraphiQL the schema is told to those with a token, and the REST documentation stays', async () => {
  const quiet = await startService({ database: service.database, env: { GRAPHIQL: 'off' } });
  try {
    expect(await get('/graphiql', quiet)).toAnswer(404, noRoute);
    expect(await get('/schema.graphql', quiet)).toAnswer(401, unauthorized);
    const { member } = await world(quiet);
    const told = await quiet.client.send({
      method: 'GET',
      path: '/schema.graphql',
      headers: { authorization: `Bearer ${member.token}` },
    });
    expect([told.status, told.text]).toEqual([200, sdl]);
    expect(told.headers['cache-control']).toBe('no-store');
    expect((await get('/console', quiet)).text).toContain('data-graphiql="false"');
    expect((await get('/docs', quiet)).status).toBe(200);
  } finally {
    await quiet.close();
  }
});

test('the examples of GraphiQL are valid, answered, and show every search of the schema', async () => {
  const schema = buildSchema(sdl);
  const file = new URL('../../src/http/pages/examples.graphql', import.meta.url);
  const text = readFileSync(file, 'utf8');
  const examples = parse(text);
  expect(validate(schema, examples)).toEqual([]);
  const shown = examples.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.name?.value ?? '') : '',
  );
  const searches = Object.values(schema.getQueryType()?.getFields() ?? {})
    .filter(({ args, type }) => args.some(({ name }) => name === 'query') && isPage(type))
    .map(({ name }) => name);
  expect(shown).toEqual(expect.arrayContaining(searches));
  expect(shown).toEqual(
    expect.arrayContaining([
      'deals_summary',
      'summary',
      'pipeline_board',
      'pipeline_forecast',
      'contact_timeline',
    ]),
  );
  const account = await world(service);
  const { id: contact_id } = await account.contact();
  const { id: webhook_id } = await account.webhook();
  for (const name of shown) {
    const { body } = await service.client.send<{ errors?: unknown; data?: object }>({
      method: 'POST',
      path: '/graphql',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${account.admin.token}`,
      },
      body: JSON.stringify({
        query: text,
        operationName: name,
        variables: {
          account_id: account.accountId,
          pipeline_id: account.pipelineId,
          contact_id,
          webhook_id,
        },
      }),
    });
    expect(body).toEqual({ data: { [name]: expect.anything() } });
  }
});

test.each(['/console', '/graphiql', '/docs'])('%s may use nothing of the device', async (path) => {
  const { headers } = await get(path);
  const permissions = String(headers['permissions-policy']).split(', ');
  expect(permissions).toEqual(
    expect.arrayContaining([
      'camera=()',
      'geolocation=()',
      'microphone=()',
      'payment=()',
      'usb=()',
    ]),
  );
  for (const one of permissions) expect(one).toMatch(/^[a-z-]+=\(\)$/);
});

test('no answer may be embedded by another origin, whatever it is', async () => {
  const w = await world(service);
  const answers = [
    ...(await Promise.all(
      [
        '/console',
        '/docs',
        '/openapi.json',
        '/schema.graphql',
        '/robots.txt',
        '/nowhere',
        '/%',
        '/livez',
      ].map((path) => get(path)),
    )),
    await w.rest.post('/contacts', {}),
    await w.rest.get('/contacts/999999999'),
    await w.rest.get('/contacts/export'),
    await w.graphql.send('{ __typename }'),
    await service.client.send({ method: 'GET', path: '/session' }),
  ];
  for (const { headers, asked } of answers) {
    expect([asked.path, headers['cross-origin-resource-policy']]).toEqual([
      asked.path,
      'same-origin',
    ]);
  }
});

test('GET /robots.txt keeps crawlers out', async () => {
  const { status, headers, text } = await get('/robots.txt');
  expect([status, headers['content-type'], text]).toEqual([
    200,
    'text/plain; charset=utf-8',
    'User-agent: *\nDisallow: /\n',
  ]);
});

test('GET /favicon.ico is the icon of the console', async () => {
  const { status, headers, text } = await get('/favicon.ico');
  const icon = /rel="icon" href="([^"]+)"/.exec((await get('/console')).text)?.[1] ?? '';
  expect([status, headers['content-type'], text]).toEqual([
    200,
    'image/svg+xml',
    (await get(icon)).text,
  ]);
});

test('GET /.well-known/security.txt names whom the operator names, for less than a year', async () => {
  expect(await get('/.well-known/security.txt')).toAnswer(404, noRoute);
  const contact = 'mailto:security@example.com';
  const named = await startService({ env: { SECURITY_CONTACT: contact } });
  const { status, headers, text } = await get('/.well-known/security.txt', named);
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const [first, second] = text.split('\n');
  expect(first).toBe(`Contact: ${contact}`);
  const expires = Date.parse(/^Expires: (\S+Z)$/.exec(second ?? '')?.[1] ?? '');
  const day = 86_400_000;
  expect(expires).toBeGreaterThan(Date.now() + 30 * day);
  expect(expires).toBeLessThan(Date.now() + 365 * day);
  await named.close();
});
