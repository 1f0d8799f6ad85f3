/** What fails on the way to a use case, and not in it, is logged for what it is. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

jest.unstable_mockModule('../../src/graphql/passthrough.ts', () => ({
  planPassthrough: () => {
    throw new Error('no plan can be made of it');
  },
}));
const { startApp } = await import('../../src/app/app.ts');

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService({ startApp });
  w = await world(service);
});
afterAll(() => service.close());

test('an operation that cannot be run is a 500 whose cause is in the log', async () => {
  const { status, headers } = await w.rest.get('/me');
  expect(status).toBe(500);
  const line = service.logged.find((text) => text.includes('request failed'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    reqId: headers['x-request-id'],
    err: { message: 'no plan can be made of it' },
  });
});
