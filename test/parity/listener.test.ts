import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { type World, world } from '../kit/world.ts';

const { prefix } = await shipped<typeof import('../../src/rest/register.ts')>('rest/register.js');
const { aliases, exportRoutes, routes } =
  await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

const listened: string[] = [];
let service: Service;
let w: World;

beforeAll(async () => {
  service = await startService({ onRoute: (method, url) => listened.push(`${method} ${url}`) });
  w = await world(service);
});

afterAll(() => service.close());

const table = new Set(
  [...routes.flatMap((row) => [row, ...aliases(row)]), ...exportRoutes].map(
    ({ method, path }) => `${method} ${prefix}${path}`,
  ),
);

test('every route of the table is listened to', () => {
  expect([...table].filter((route) => !listened.includes(route))).toEqual([]);
});

test('what is listened to beside the table is health, sign-in, GraphQL, agents, the pages, the client, and refusals', async () => {
  const others = [...new Set(listened)].filter((route) => !table.has(route));
  const pages = others.filter((route) => !route.includes('/api/'));
  expect(
    new Set(pages.map((route) => route.split(' ')[1]?.replace(/^\/(assets|docs)\/.*/, '/$1'))),
  ).toEqual(
    new Set([
      '/livez',
      '/readyz',
      '/session',
      '/graphql',
      '/graphql/stream',
      '/',
      '/mcp',
      '/console',
      '/console/*',
      '/console/push.js',
      '/docs',
      '/llms.txt',
      '/client.tgz',
      '/favicon.ico',
      '/robots.txt',
      '/openapi.json',
      '/graphiql',
      '/schema.graphql',
      '/assets',
    ]),
  );
  const refusals = others.filter((route) => route.includes('/api/') && !route.startsWith('HEAD '));
  const statuses = await Promise.all(
    refusals.map(async (route) => {
      const [method = '', url = ''] = route.split(' ');
      const path = url.replace(':account_id', String(w.accountId)).replaceAll(/:\w+/g, '1');
      const headers = { authorization: `Bearer ${w.admin.token}` };
      const { status } = await service.client.send({ method, path, headers });
      return `${route}: ${status}`;
    }),
  );
  expect(statuses.filter((answer) => !answer.endsWith(': 405'))).toEqual([]);
});
