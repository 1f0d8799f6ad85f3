/** The answers that guides show are those of the service. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { caughtUp, changes } from '../kit/feed.ts';
import { blocksOf } from '../kit/guides.ts';
import { type Service, startService } from '../kit/service.ts';
import { id, moment } from '../kit/shapes.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
});
afterAll(() => service.close());

/** The answer that a guide shows; each shows one. */
function shownBy(guide: string) {
  const [block = ''] = blocksOf(`src/docs/${guide}`, 'json');
  return JSON.parse(block);
}

test('an error has the form that the guide shows', async () => {
  const shown = shownBy('api/errors.md');
  const { body } = await w.rest.post('/contacts', {
    email: 'nonsense',
    full_name: 'x'.repeat(256),
  });
  expect(body).toEqual({ ...shown, request_id: expect.any(String) });
});

test('a batch is answered as the guide shows', async () => {
  const shown = shownBy('api/bulk.md');
  const [request = ''] = blocksOf('src/docs/api/bulk.md', 'sh');
  const [, body = ''] = /-d '(.*)'/.exec(request) ?? [];
  const { body: answer } = await w.rest.post('/contacts/batch', JSON.parse(body));
  const [created, ...others] = shown.results;
  expect(answer).toEqual({ ...shown, results: [{ ...created, id }, ...others] });
});

test('what is found has the form that the guide shows, and the parts that were typed', async () => {
  const shown = shownBy('api/finding.md');
  const [contact] = shown.contacts;
  const { full_name, email } = contact;
  await w.rest.post('/contacts', { full_name, email });
  const { body } = await w.rest.get('/find?q=jose&limit=5');
  expect(body).toEqual({ ...shown, contacts: [{ ...contact, id }] });
});

test('a page says how many there are as the guide shows', async () => {
  const shown = shownBy('api/pagination.md');
  const records = Array.from({ length: shown.count }, (_, n) => ({ full_name: `Page ${n}` }));
  await w.rest.post('/contacts/batch', { operation: 'create', records });
  const { body } = await w.rest.post('/contacts/search', {
    query: { full_name_start: 'Page' },
    per_page: shown.items,
  });
  expect(body).toEqual({ data: expect.any(Array), pagination: shown });
});

test('a change has the fields that the guide to webhooks shows', async () => {
  const shown = shownBy('api/webhooks.md');
  const deal = await w.deal();
  await w.rest.put(`/deals/${deal.id}`, { status: 'won' });
  await caughtUp(w);
  const { data } = await changes(w.rest, { limit: 1000 });
  const change = data.find(
    ({ action, record_type }) => action === shown.action && record_type === shown.record_type,
  );
  expect(change).toEqual({
    ...shown,
    cursor: expect.any(String),
    at: moment,
    record_id: deal.id,
    after: { ...shown.after, won_at: moment },
    user_id: id,
    token_id: id,
    request_id: expect.any(String),
  });
});

test('the configuration that the guide shows for agents leads to the door for them', async () => {
  const { type, url, headers } = shownBy('api/agents.md').mcpServers.crm;
  expect([type, Object.keys(headers)]).toEqual(['http', ['Authorization']]);
  const { status, body } = await service.client.send<{ result: { tools: readonly object[] } }>({
    method: 'POST',
    path: new URL(url).pathname,
    headers: {
      authorization: headers.Authorization.replace('<token>', w.admin.token),
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  expect(status).toBe(200);
  expect(body.result.tools).not.toHaveLength(0);
});
