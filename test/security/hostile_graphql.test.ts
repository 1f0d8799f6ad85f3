/** Odd documents and variables: answered in the protocol, never by a fault of ours. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';
import { expectUnharmed, values } from './hostile.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
});
afterAll(async () => {
  await expectUnharmed(service, w);
  await service.close();
});

describe('GraphQL', () => {
  test.each([
    '',
    '{',
    '{ nope }',
    'query ($a: Nope!) { __typename }',
    '{ contact(account_id: 1e400, id: 1) { id } }',
    'fragment A on Contact { ...A } { contacts(account_id: 1) { data { ...A } } }',
    '{ __proto__ { constructor } }',
    'subscription { x }',
    'mutation { create_contact(account_id: "1", input: "x") { id } }',
    'mutation { create_contact(account_id: 1, input: {email: {a: 1}}) { id } }',
    '\u0000',
    '{ a: __typename, a: __schema { types { name } } }',
    'query A { __typename } query B { __typename }',
  ])('%j is answered in the protocol, without a fault of ours', async (document) => {
    const answer = await w.graphql.send(document);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body.errors?.map((error) => error.extensions.code)).not.toContain(
      'INTERNAL_SERVER_ERROR',
    );
  });

  test.each(values)('%s as any variable', async (value) => {
    const document = `mutation ($account: Integer!, $input: ContactInput!) { create_contact(account_id: $account, input: $input) { id } }`;
    for (const variables of [
      `{"account":${value},"input":{}}`,
      `{"account":${w.accountId},"input":${value}}`,
      `{"account":${w.accountId},"input":{"full_name":${value},"email":${value},"label_list":${value},"custom_attributes":${value}}}`,
      value,
    ]) {
      const answer = await w.graphql.send(document, variables);
      expect(answer.status).toBeLessThan(500);
      expect(answer.text).not.toContain('INTERNAL_SERVER_ERROR');
    }
  });

  test.each([
    '[]',
    '1',
    '"x"',
    'null',
    '[{"query":"{ __typename }"}]',
    '{"query":1}',
    '{"query":null}',
    '{"query":{}}',
    '{}',
    '{"query":"{__typename}","variables":[]}',
  ])('the body %s', async (body) => {
    const answer = await service.client.send({
      method: 'POST',
      path: '/graphql',
      headers: { authorization: `Bearer ${w.admin.token}`, 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toContain('INTERNAL_SERVER_ERROR');
  });
});
