/** What a route asks the policy at the door, and what its use case asks behind it. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import * as policy from '../../src/auth/policy.ts';
import { routes } from '../../src/rest/routes.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

const asked: policy.Action[] = [];
jest.unstable_mockModule('../../src/auth/policy.ts', () => ({
  ...policy,
  authorize: (...given: Parameters<typeof policy.authorize>) => {
    asked.push(given[2]);
    return policy.authorize(...given);
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

test.each(routes)('$method $path asks for the action of its use case', async (route) => {
  asked.length = 0;
  const body = route.body ? {} : undefined;
  await w.rest.send(route.method, route.path.replace(/:\w+/g, '999999999'), body);
  // A use case may ask for more, such as for what it reads beside.
  expect(asked.slice(0, 2)).toEqual([route.action, route.action]);
});
