import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;

beforeAll(async () => {
  service = await startService({ env: { GRAPHQL_TIMEOUT: '1s' } });
  w = await world(service);
});

afterAll(() => service.close());

const upsert = `mutation ($account: Integer!) {
  first: upsert_contact(account_id: $account, input: { email: "free@example.com" }) { created }
  second: upsert_contact(account_id: $account, input: { email: "held@example.com", full_name: "New" }) { created }
  third: upsert_contact(account_id: $account, input: { email: "late@example.com" }) { created }
}`;

test('a GraphQL request that takes longer than GRAPHQL_TIMEOUT is refused, with its work in the database stopped', async () => {
  const held = await w.contact({ email: 'held@example.com', full_name: 'Old' });
  const letGo = await service.database.hold(
    'SELECT FROM contacts WHERE account_id = $1 AND id = $2 FOR UPDATE',
    [w.accountId, held.id],
  );
  const began = Date.now();
  const { body } = await w.graphql.send(upsert, { account: w.accountId });
  expect(Date.now() - began).toBeLessThan(3000);
  expect(body.errors?.map(({ extensions, path }) => [path, extensions?.code])).toEqual([
    [['second'], 'UNAVAILABLE'],
  ]);
  expect(await service.database.atWork()).toEqual([]);
  await letGo();
  const names = await service.database.query(
    'SELECT email, full_name FROM contacts WHERE account_id = $1 ORDER BY id',
    [w.accountId],
  );
  expect(names).toEqual([
    { email: 'held@example.com', full_name: 'Old' },
    { email: 'free@example.com', full_name: '' },
  ]);
});

test('each statement of a transaction has only what those before it left of the time', async () => {
  const deal = await w.deal();
  const stage = await w.deal({ stage_id: w.stageIds[1] });
  const letGo = await service.database.hold('SELECT FROM stages WHERE account_id = $1 FOR UPDATE', [
    w.accountId,
  ]);
  const letGoDeal = await service.database.hold(
    'SELECT FROM deals WHERE account_id = $1 AND id = $2 FOR UPDATE',
    [w.accountId, deal.id],
  );
  const began = Date.now();
  setTimeout(letGo, 700);
  const { body } = await w.graphql.send(
    `mutation { update_deal(account_id: ${w.accountId}, id: ${deal.id}, input: { stage_id: ${stage.stage_id} }) { id } }`,
  );
  expect(Date.now() - began).toBeLessThan(1600);
  expect(body.errors?.map(({ extensions }) => extensions?.code)).toEqual(['UNAVAILABLE']);
  await letGoDeal();
});
