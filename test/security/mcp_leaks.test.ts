/** That no tool shows a token more than REST shows it, whatever its arguments choose. */
import { beforeAll, expect, test } from '@jest/globals';
import { scopes } from '../../src/auth/scopes.ts';
import { Mcp } from '../kit/mcp.ts';
import { sharedService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
/** A record of each resource that tools know. */
let ids: Readonly<Record<string, number>>;
/** What each resource has within it, as somebody is told who may read everything. */
const within: Record<string, readonly string[]> = {};

/** In each record stands the resource whose scope shows it. */
const mark = (resource: string) => `Secret ${resource}`;
const marks = [
  ...['contacts', 'deals', 'products', 'events', 'pipelines', 'users', 'webhooks', 'tokens'],
].map(mark);

beforeAll(async () => {
  const [stage] = w.stageIds;
  await w.rest.put(`/pipelines/${w.pipelineId}`, { name: mark('pipelines') });
  await w.rest.put(`/stages/${stage}`, { name: mark('pipelines') });
  await w.rest.put(`/users/${w.admin.id}`, { full_name: mark('users') });
  await w.webhook({ description: mark('webhooks'), enabled: false });
  await w.rest.post('/tokens', { name: mark('tokens') });
  const contact = await w.contact({
    full_name: mark('contacts'),
    label_list: [mark('contacts')],
    custom_attributes: { [mark('contacts')]: mark('contacts') },
  });
  const product = await w.product({ name: mark('products'), identifier: mark('products') });
  const deal = await w.deal({ name: mark('deals'), contact_id: contact.id });
  const line = { deal_id: deal.id, product_id: product.id, product_name: mark('deals') };
  const { id: deal_products } = await w.dealProduct(line);
  const event = { kind: 'note', content: mark('events') };
  const noted = await w.rest.post<{ id: number }>(`/deals/${deal.id}/events`, event);
  const assigned = { deal_id: deal.id, user_id: w.admin.id };
  const assignee = await w.rest.post<{ id: number }>('/deal_assignees', assigned);
  ids = {
    ...{ contacts: contact.id, deals: deal.id, products: product.id, deal_products },
    ...{ deal_assignees: assignee.body.id, events: noted.body.id },
    ...{ pipelines: w.pipelineId, stages: stage, users: w.admin.id },
  };
  const agent = new Mcp(service.client, w.admin.token);
  for (const resource of Object.keys(ids)) {
    within[resource] = (await agent.use('describe', { resource })).include;
  }
  expect(within.deals).toContain('contact');
});

const groups: Readonly<Record<string, readonly string[]>> = {
  CONTACTS: ['full_name', 'label_list', 'deals_name'],
  DEALS: ['contact_full_name', 'stage_name', 'pipeline_name', 'created_by_id', 'products_name'],
  DEAL_PRODUCTS: ['product_name', 'deal_name'],
  EVENTS: ['contact_id', 'deal_id', 'kind'],
  PRODUCTS: ['name', 'deals_name'],
  USERS: ['full_name', 'deals_name'],
};

const paths = ['contact_full_name', 'deals_name', 'stage_name', 'pipeline_name', 'product_name'];

const all = (account: number): readonly string[] => [
  `{ contacts(account_id: ${account}) { data { full_name labels: label_list deals { name } events { content } } } }`,
  `{ deals(account_id: ${account}) { data { name stage { name } pipeline { name } contact { full_name } } } }`,
  `{ deals(account_id: ${account}) { data { deal_products { product { name } } deal_assignees { user { full_name } } } } }`,
  `{ events(account_id: ${account}) { data { content deal { name } } } }`,
  `{ webhooks(account_id: ${account}) { data { description } } tokens(account_id: ${account}) { data { name } } }`,
  `{ users(account_id: ${account}) { data { full_name } } labels(account_id: ${account}) { data { label } } }`,
  `{ all_pipelines(account_id: ${account}) { data { name stages { name } } } }`,
];

/** Every tool that reads, with all that its arguments can choose. */
function* reads(): Generator<readonly [tool: string, args: object]> {
  yield ['describe', {}];
  yield ['find', { q: 'Secret' }];
  for (const [resource, id] of Object.entries(ids)) {
    yield ['describe', { resource }];
    yield ['search', { resource }];
    for (const path of paths) yield ['search', { resource, query: { [`${path}_cont`]: 'Secret' } }];
    yield ['get', { resource, ids: [id] }];
    for (const one of within[resource] ?? []) {
      yield ['get', { resource, ids: [id], include: [one] }];
    }
    yield ['history', { resource, id }];
    yield ['remove', { resource, ids: [id] }];
  }
  for (const [of, names] of Object.entries(groups)) {
    for (const by of names) yield ['summarize', { of: 'summary', with: { of, by: [by] } }];
  }
  for (const grouping of ['STAGE', 'PIPELINE', 'OWNER', 'CREATOR', 'LABEL', 'PRODUCT']) {
    yield ['summarize', { of: 'deals', with: { group_by: [grouping] } }];
  }
  for (const measure of ['funnel', 'forecast']) {
    yield ['summarize', { of: measure, with: { pipeline_id: w.pipelineId } }];
  }
  for (const query of all(w.accountId)) yield ['graphql', { query }];
}

const marksIn = (text: string): readonly string[] => marks.filter((one) => text.includes(one));

/** What REST shows a token, with what its fixed answers hold of other resources. */
async function shownByRest(token: string): Promise<ReadonlySet<string>> {
  const rest = w.restAs(token);
  const texts = [(await rest.get('/find?q=Secret')).text];
  for (const [resource, id] of Object.entries(ids)) {
    texts.push((await rest.get(`/${resource}/${id}`)).text);
    texts.push((await rest.post(`/${resource}/search`, {})).text);
  }
  for (const resource of ['webhooks', 'tokens']) {
    texts.push((await rest.post(`/${resource}/search`, {})).text);
  }
  // Who it is of, and what a trail tells to those who may read it.
  texts.push((await rest.get('/me')).text, (await rest.get('/audit_entries')).text);
  return new Set(marksIn(texts.join('\n')));
}

// Those to write include those to read.
test.each(scopes.filter((scope) => !scope.endsWith(':read')))(
  'a token with the scope %s',
  async (scope) => {
    const token = await issue(service.database, w.admin, { scopes: [scope] });
    const shown = await shownByRest(token);
    const agent = new Mcp(service.client, token);
    const leaks: unknown[] = [];
    for (const [tool, args] of reads()) {
      const text = JSON.stringify(await agent.call(tool, args));
      const more = marksIn(text).filter((one) => !shown.has(one));
      if (more.length > 0) leaks.push([tool, args, more]);
    }
    expect(leaks).toEqual([]);
  },
);
