/** Ids of another account in bodies, nested objects and searches. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sendBatch } from '../kit/batch.ts';
import type { Deal, FetchedDealProduct } from '../kit/records.ts';
import { invalid, notFound } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

const marker = 'theirs-and-nobody-elses';

const service = await sharedService();
let mine: World;
let theirs: World;
let attached: FetchedDealProduct;
let deal: Deal;
beforeAll(async () => {
  [mine, theirs] = [await world(service), await world(service)];
  const contact = await theirs.contact({
    full_name: marker,
    email: `${marker}@example.com`,
    phone: '+14155552671',
    label_list: [marker],
    custom_attributes: { city: marker },
  });
  deal = await theirs.deal({ contact_id: contact.id, name: marker });
  const product = await theirs.product({ name: marker, identifier: marker, description: marker });
  attached = await theirs.dealProduct({ deal_id: deal.id, product_id: product.id });
  await mine.dealProduct();
});

describe('ids of another account in a body', () => {
  test('a stage, a pipeline and a contact of a new deal', async () => {
    const own = await mine.contact();
    const sent = { stage_id: mine.stageIds[0], contact_id: own.id };
    expect(await mine.rest.post('/deals', { ...sent, stage_id: deal.stage_id })).toAnswer(
      422,
      invalid({ stage_id: 'must exist' }),
    );
    expect(await mine.rest.post('/deals', { ...sent, contact_id: deal.contact_id })).toAnswer(
      422,
      invalid({ contact_id: 'must exist' }),
    );
    const pipeline = await mine.rest.post('/deals', { ...sent, pipeline_id: deal.pipeline_id });
    expect(pipeline.status).toBe(422);
  });

  test('a stage and a contact of a deal that is changed or upserted', async () => {
    const own = await mine.deal();
    for (const field of ['stage_id', 'contact_id'] as const) {
      const answer = await mine.rest.put(`/deals/${own.id}`, { [field]: deal[field] });
      expect(answer).toAnswer(422, invalid({ [field]: 'must exist' }));
    }
    const upsert = { contact_id: own.contact_id, stage_id: deal.stage_id };
    expect(await mine.rest.post('/deals/upsert', upsert)).toAnswer(
      422,
      invalid({ stage_id: 'must exist' }),
    );
    const foreign = { contact_id: deal.contact_id, stage_id: mine.stageIds[0] };
    expect(await mine.rest.post('/deals/upsert', foreign)).toAnswer(
      422,
      invalid({ contact_id: 'must exist' }),
    );
  });

  test('a deal and a product of a deal product', async () => {
    const [ownDeal, ownProduct] = [await mine.deal(), await mine.product()];
    for (const body of [
      { deal_id: deal.id, product_id: ownProduct.id },
      { deal_id: ownDeal.id, product_id: attached.product_id },
      { deal_id: deal.id, product_id: attached.product_id },
    ]) {
      expect(await mine.rest.post('/deal_products', body)).toAnswer(404, notFound);
    }
  });

  test('account_id in a body moves nothing', async () => {
    const contact = await mine.contact({ account_id: theirs.accountId });
    expect(contact.account_id).toBe(mine.accountId);
    const product = await mine.product();
    const answer = await mine.rest.put(`/products/${product.id}`, { account_id: theirs.accountId });
    expect(answer).toAnswer(200, product);
  });

  test('a user’s id as the creator is ignored', async () => {
    const own = await mine.deal({ created_by_id: theirs.admin.id });
    expect(own.created_by_id).toBe(mine.admin.id);
  });
});

test('no record of a batch reaches another account', async () => {
  const own = { contact_id: (await mine.contact()).id, stage_id: mine.stageIds[0] };
  const byId = (kind: string, id: number) => [kind, 'update', { id }, 404] as const;
  const sent = [
    byId('contacts', deal.contact_id),
    byId('deals', deal.id),
    byId('products', attached.product_id),
    byId('deal_products', attached.id),
    ['deals', 'create', { ...own, stage_id: deal.stage_id }, 422],
    ['deals', 'create', { ...own, contact_id: deal.contact_id, position: 1 }, 422],
    ['deals', 'create', { ...own, contact_id: deal.contact_id }, 422],
    ['deals', 'upsert', { ...own, contact_attributes: { id: deal.contact_id } }, 422],
    ['deal_products', 'create', { deal_id: deal.id, product_id: attached.product_id }, 404],
    ['events', 'create', { kind: 'note', deal_id: deal.id }, 404],
    ['events', 'create', { kind: 'note', contact_id: deal.contact_id }, 404],
    ['contacts', 'upsert', { phone: '+14155552671' }, 201],
  ] as const;
  for (const [kind, operation, record, status] of sent) {
    const { body } = await sendBatch(mine.rest, kind, operation, [record]);
    expect([kind, operation, body.results[0]?.status]).toEqual([kind, operation, status]);
    if (operation !== 'update') continue;
    const gone = await sendBatch(mine.rest, kind, 'delete', [record]);
    expect(gone.body.results[0]?.status).toBe(404);
  }
  expect((await theirs.fetchDeal(deal.id)).name).toBe(marker);
});

test('contact_attributes never find a contact of another account', async () => {
  const own = await world(service);
  for (const contact_attributes of [
    { email: `${marker}@example.com` },
    { phone: '+14155552671' },
  ]) {
    const answer = await own.rest.post<Deal>('/deals/upsert', {
      stage_id: own.stageIds[0],
      contact_attributes,
    });
    expect(answer.status).toBe(201);
    expect(answer.body.contact_id).not.toBe(deal.contact_id);
  }
});

test('an id inside contact_attributes reaches no other account', async () => {
  const sent = { stage_id: mine.stageIds[0], contact_attributes: { id: deal.contact_id } };
  expect(await mine.rest.post('/deals/upsert', sent)).toAnswer(
    422,
    invalid({ 'contact_attributes.id': 'must exist' }),
  );
});

describe('no search reaches another account', () => {
  test.each([
    ['contacts', { full_name_cont: marker }],
    ['contacts', { full_name_cont: marker, m: 'or', id_gteq: 0 }],
    ['contacts', { full_name_or_email_cont: marker }],
    ['contacts', { label_list_cont: marker }],
    ['contacts', { deals_name_eq: marker }],
    ['contacts', { 'custom_attributes.city_eq': marker }],
    ['contacts', { m: 'or', g: [{ id_gteq: 0 }, { full_name_cont: marker }] }],
    ['contacts', { id_not_eq: 0 }],
    ['contacts', { full_name_not_cont: 'x' }],
    ['deals', { name_cont: marker }],
    ['deals', { contact_full_name_cont: marker }],
    ['deals', { products_name_eq: marker, m: 'or', id_gt: 0 }],
    ['deals', { creator_email_cont: '@' }],
    ['deals', { stage_name_eq: 'New' }],
    ['products', { name_cont: marker }],
    ['products', { deals_name_eq: marker }],
    ['users', { email_cont: '@' }],
  ])('%s by %j', async (resource, query) => {
    const { status, text, body } = await mine.rest.post<{ data: { account_id: number }[] }>(
      `/${resource}/search`,
      { query, per_page: 100 },
    );
    expect(status).toBe(200);
    expect(text).not.toContain(marker);
    expect(body.data.filter((record) => record.account_id !== mine.accountId)).toEqual([]);
  });
});

describe('GraphQL', () => {
  const field = (name: string, id: number) =>
    mine.graphql.send(`{ ${name}(account_id: ${mine.accountId}, id: ${id}) { id } }`);

  test('finds no record of another account by its id', async () => {
    for (const [name, id] of [
      ['contact', deal.contact_id],
      ['deal', deal.id],
      ['product', attached.product_id],
      ['deal_product', attached.id],
    ] as const) {
      const { body } = await field(name, id);
      expect(body.errors?.map((error) => error.extensions.code)).toEqual(['NOT_FOUND']);
    }
  });

  test('shows nothing of it by nesting', async () => {
    const { text } = await mine.graphql.send(
      `{ contacts(account_id: ${mine.accountId}, per_page: 20) { data { full_name
        deals(limit: 5) { name contact { full_name } stage { name deals(limit: 5) { name } }
          deal_products(limit: 5) { product_name product { name } } } } } }`,
    );
    expect(text).toContain('"data"');
    expect(text).not.toContain(marker);
  });

  test('answers nothing about two accounts at once', async () => {
    const { body, text } = await mine.graphql.send(
      `{ own: contacts(account_id: ${mine.accountId}) { data { id } }
         foreign: contacts(account_id: ${theirs.accountId}) { data { full_name } } }`,
    );
    expect(body.errors?.map((error) => error.extensions.code)).toEqual(['NOT_FOUND']);
    expect(text).not.toContain(marker);
  });
});
