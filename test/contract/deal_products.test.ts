import { describe, expect, test } from '@jest/globals';
import type { FetchedDealProduct } from '../kit/records.ts';
import { invalid, invalidFields, notFound, unauthorized } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { dealProductBody, moment } from '../kit/shapes.ts';
import { type Input, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const largest = 9_007_199_254_740_991;

describe('POST /deal_products', () => {
  test('201 with the whole deal product, its product and its deal', async () => {
    const deal = await w.deal({ name: 'Furniture' });
    const product = await w.product({ name: 'Chair', identifier: 'CH-1', amount_in_cents: 2500 });
    const sent = {
      product_id: product.id,
      deal_id: deal.id,
      quantity: 3,
      unit_amount_in_cents: 2000,
      product_name: 'Chair, used',
      product_identifier: 'CH-1-U',
    };
    expect(await w.rest.post('/deal_products', sent)).toAnswer(201, {
      ...dealProductBody(w.accountId, { ...sent, total_amount_in_cents: 6000 }),
      product,
      deal: { ...deal, total_deal_products_amount_in_cents: 6000, updated_at: moment },
    });
  });

  test('201 with the product’s price, name and identifier when they are left out', async () => {
    const deal = await w.deal();
    const product = await w.product({ name: 'Chair', identifier: 'CH-1', amount_in_cents: 2500 });
    const sent = { product_id: product.id, deal_id: deal.id };
    expect(await w.rest.post('/deal_products', sent)).toAnswer(201, {
      ...dealProductBody(w.accountId, {
        ...sent,
        quantity: 1,
        unit_amount_in_cents: 2500,
        product_name: 'Chair',
        product_identifier: 'CH-1',
        total_amount_in_cents: 2500,
      }),
      product,
      deal: { ...deal, total_deal_products_amount_in_cents: 2500, updated_at: moment },
    });
  });

  test('201 with null where a default exists', async () => {
    const product = await w.product({ name: 'Chair', identifier: 'CH-1', amount_in_cents: 2500 });
    const attached = await w.dealProduct({
      product_id: product.id,
      quantity: null,
      unit_amount_in_cents: null,
      product_name: null,
      product_identifier: null,
    });
    expect(attached).toMatchObject({
      quantity: 1,
      unit_amount_in_cents: 2500,
      product_name: 'Chair',
      product_identifier: 'CH-1',
    });
  });

  test('201 with 0 and blank as sent, which are not left out', async () => {
    const product = await w.product({ name: 'Chair', identifier: 'CH-1', amount_in_cents: 2500 });
    const sent = { unit_amount_in_cents: 0, product_name: '', product_identifier: '' };
    expect(await w.dealProduct({ product_id: product.id, ...sent })).toMatchObject({
      ...sent,
      total_amount_in_cents: 0,
    });
  });

  test('201 for a product that the deal has already', async () => {
    const deal = await w.deal();
    const product = await w.product({ amount_in_cents: 100 });
    const sent = { deal_id: deal.id, product_id: product.id };
    const first = await w.dealProduct(sent);
    const second = await w.dealProduct(sent);
    expect(second.id).not.toBe(first.id);
    expect(second.deal.total_deal_products_amount_in_cents).toBe(200);
  });

  test('201 with ids as decimal strings', async () => {
    const [deal, product] = [await w.deal(), await w.product()];
    const sent = { deal_id: `${deal.id}`, product_id: `${product.id}`, quantity: '2' };
    expect(await w.dealProduct(sent)).toMatchObject({
      deal_id: deal.id,
      product_id: product.id,
      quantity: 2,
    });
  });

  test('401 without a token', async () => {
    expect(await w.restAs(undefined).post('/deal_products', {})).toAnswer(401, unauthorized);
  });

  test('404 in an account that is not the caller’s', async () => {
    const stranger = await world(service);
    expect(await stranger.restAs(w.admin.token).post('/deal_products', {})).toAnswer(404, notFound);
  });

  test('404 when the product or the deal does not exist', async () => {
    const [deal, product] = [await w.deal(), await w.product()];
    const noProduct = { deal_id: deal.id, product_id: 999_999_999 };
    const noDeal = { deal_id: 999_999_999, product_id: product.id };
    expect(await w.rest.post('/deal_products', noProduct)).toAnswer(404, notFound);
    expect(await w.rest.post('/deal_products', noDeal)).toAnswer(404, notFound);
  });

  test('404 when the product or the deal is another account’s; nothing is attached', async () => {
    const other = await world(service);
    const [deal, product] = [await w.deal(), await w.product()];
    const [theirDeal, theirProduct] = [await other.deal(), await other.product()];
    const bodies = [
      { deal_id: deal.id, product_id: theirProduct.id },
      { deal_id: theirDeal.id, product_id: product.id },
    ];
    for (const body of bodies)
      expect(await w.rest.post('/deal_products', body)).toAnswer(404, notFound);
    expect((await other.fetchDeal(theirDeal.id)).deal_products).toEqual([]);
    expect((await other.fetchProduct(theirProduct.id)).deal_products).toEqual([]);
  });

  test('404 before 422: an unknown deal with an invalid quantity', async () => {
    const product = await w.product();
    const body = { deal_id: 999_999_999, product_id: product.id, quantity: 0 };
    expect(await w.rest.post('/deal_products', body)).toAnswer(404, notFound);
  });

  test('422 when product_id and deal_id are missing', async () => {
    expect(await w.rest.post('/deal_products', {})).toAnswer(
      422,
      invalidFields('product_id', 'deal_id'),
    );
    const nulls = { product_id: null, deal_id: null };
    expect(await w.rest.post('/deal_products', nulls)).toAnswer(
      422,
      invalidFields('product_id', 'deal_id'),
    );
    const { id } = await w.deal();
    expect(await w.rest.post('/deal_products', { deal_id: id })).toAnswer(
      422,
      invalidFields('product_id'),
    );
  });

  test.each([0, -1, 1.5, '2x', true, {}, '1e3', largest + 1])(
    '422 for the quantity %p',
    async (quantity) => {
      const [deal, product] = [await w.deal(), await w.product()];
      const body = { deal_id: deal.id, product_id: product.id, quantity };
      expect(await w.rest.post('/deal_products', body)).toAnswer(422, invalidFields('quantity'));
      expect((await w.fetchDeal(deal.id)).deal_products).toEqual([]);
    },
  );

  test('422 for everything that is wrong, together', async () => {
    const [deal, product] = [await w.deal(), await w.product()];
    const wrong = {
      quantity: 0,
      unit_amount_in_cents: -1,
      product_name: [],
      product_identifier: 'x'.repeat(256),
    };
    const answer = await w.rest.post('/deal_products', {
      deal_id: deal.id,
      product_id: product.id,
      ...wrong,
    });
    expect(answer).toAnswer(422, invalidFields(...Object.keys(wrong)));
  });
});

describe('GET /deal_products/{id}', () => {
  test('200 with the whole deal product, its product and its deal', async () => {
    const attached = await w.dealProduct({ quantity: 2, unit_amount_in_cents: 50 });
    expect(await w.rest.get(`/deal_products/${attached.id}`)).toAnswer(200, attached);
  });

  test('its id is found through the product and through the deal', async () => {
    const { id, deal_id, product_id } = await w.dealProduct();
    expect((await w.fetchDeal(deal_id)).deal_products.map((each) => each.id)).toEqual([id]);
    expect((await w.fetchProduct(product_id)).deal_products.map((each) => each.id)).toEqual([id]);
  });

  test('401 without a token', async () => {
    const { id } = await w.dealProduct();
    expect(await w.restAs(undefined).get(`/deal_products/${id}`)).toAnswer(401, unauthorized);
  });

  test('404 for a deal product of another account', async () => {
    const { id } = await (await world(service)).dealProduct();
    expect(await w.rest.get(`/deal_products/${id}`)).toAnswer(404, notFound);
  });

  test.each(['999999999', '0', 'abc', '9007199254740992'])('404 for the id %s', async (id) => {
    expect(await w.rest.get(`/deal_products/${id}`)).toAnswer(404, notFound);
  });
});

describe('PUT /deal_products/{id}', () => {
  test('200 with the whole deal product, its product and its deal with the new total', async () => {
    const attached = await w.dealProduct({ quantity: 2, unit_amount_in_cents: 50 });
    const sent = {
      quantity: 3,
      unit_amount_in_cents: 70,
      product_name: 'Renamed',
      product_identifier: 'R-1',
    };
    const answer = await w.rest.put<FetchedDealProduct>(`/deal_products/${attached.id}`, sent);
    expect(answer).toAnswer(200, {
      ...attached,
      ...sent,
      total_amount_in_cents: 210,
      updated_at: moment,
      deal: { ...attached.deal, total_deal_products_amount_in_cents: 210, updated_at: moment },
    });
    expect(answer.body.updated_at > attached.updated_at).toBe(true);
  });

  test('an omitted field keeps its value', async () => {
    const attached = await w.dealProduct({
      quantity: 2,
      unit_amount_in_cents: 50,
      product_name: 'Kept',
    });
    const answer = await w.rest.put<FetchedDealProduct>(`/deal_products/${attached.id}`, {
      quantity: 4,
    });
    expect(answer.body).toMatchObject({
      quantity: 4,
      unit_amount_in_cents: 50,
      product_name: 'Kept',
      total_amount_in_cents: 200,
    });
  });

  test('{} and an empty body change nothing', async () => {
    const attached = await w.dealProduct({ quantity: 2 });
    expect(await w.rest.put(`/deal_products/${attached.id}`, {})).toAnswer(200, attached);
    expect(await w.rest.put(`/deal_products/${attached.id}`)).toAnswer(200, attached);
  });

  test('product_id and deal_id cannot be changed, and may be sent back', async () => {
    const attached = await w.dealProduct();
    const [deal, product] = [await w.deal(), await w.product()];
    const put = (body: Input) => w.rest.put(`/deal_products/${attached.id}`, body);
    const same = { deal_id: String(attached.deal_id), product_id: attached.product_id };
    expect(await put(same)).toAnswer(200, attached);
    const cannot = 'cannot be changed';
    expect(await put({ deal_id: deal.id, product_id: product.id, quantity: 2 })).toAnswer(
      422,
      invalid({ deal_id: cannot, product_id: cannot }),
    );
    expect(await put({ deal_id: 'x', product_id: null })).toAnswer(
      422,
      invalid({ deal_id: 'must be an integer', product_id: 'must exist' }),
    );
    expect(await w.fetchDealProduct(attached.id)).toEqual(attached);
  });

  test('a fetched deal product can be sent back as it is', async () => {
    const attached = await w.dealProduct({ quantity: 2, unit_amount_in_cents: 50 });
    const fetched = await w.rest.get(`/deal_products/${attached.id}`);
    expect(await w.rest.put(`/deal_products/${attached.id}`, fetched.text)).toAnswer(200, attached);
  });

  test('401 without a token', async () => {
    const { id } = await w.dealProduct();
    expect(await w.restAs(undefined).put(`/deal_products/${id}`, {})).toAnswer(401, unauthorized);
  });

  test('404 for a deal product of another account, which stays as it was', async () => {
    const other = await world(service);
    const attached = await other.dealProduct({ quantity: 2 });
    expect(await w.rest.put(`/deal_products/${attached.id}`, { quantity: 9 })).toAnswer(
      404,
      notFound,
    );
    expect((await other.fetchDealProduct(attached.id)).quantity).toBe(2);
  });

  test.each(['999999999', '0', 'abc', '9007199254740992'])('404 for the id %s', async (id) => {
    expect(await w.rest.put(`/deal_products/${id}`, { quantity: 1 })).toAnswer(404, notFound);
  });

  test('422 for an invalid quantity or unit_amount_in_cents, told together; it stays as it was', async () => {
    const attached = await w.dealProduct({ quantity: 2, unit_amount_in_cents: 50 });
    const wrong = { quantity: 0, unit_amount_in_cents: -1 };
    expect(await w.rest.put(`/deal_products/${attached.id}`, wrong)).toAnswer(
      422,
      invalid({
        quantity: 'must be greater than or equal to 1',
        unit_amount_in_cents: 'must be greater than or equal to 0',
      }),
    );
    expect(await w.fetchDealProduct(attached.id)).toEqual(attached);
  });
});

describe('snapshots', () => {
  test('what changes of the product later does not alter the deal', async () => {
    const product = await w.product({ name: 'Old', identifier: 'OLD', amount_in_cents: 100 });
    const attached = await w.dealProduct({ product_id: product.id, quantity: 2 });
    await w.rest.put(`/products/${product.id}`, {
      name: 'New',
      identifier: 'NEW',
      amount_in_cents: 900,
    });
    const { product: now, ...kept } = await w.fetchDealProduct(attached.id);
    const { product: _, ...before } = attached;
    expect(kept).toEqual(before);
    expect(now).toMatchObject({ name: 'New', identifier: 'NEW', amount_in_cents: 900 });
  });

  test('a null on update takes over what the product has now', async () => {
    const product = await w.product({ name: 'Old', identifier: 'OLD', amount_in_cents: 100 });
    const { id } = await w.dealProduct({ product_id: product.id, quantity: 2 });
    await w.rest.put(`/products/${product.id}`, {
      name: 'New',
      identifier: 'NEW',
      amount_in_cents: 900,
    });
    const cleared = {
      quantity: null,
      unit_amount_in_cents: null,
      product_name: null,
      product_identifier: null,
    };
    const answer = await w.rest.put<FetchedDealProduct>(`/deal_products/${id}`, cleared);
    expect(answer.body).toMatchObject({
      quantity: 1,
      unit_amount_in_cents: 900,
      product_name: 'New',
      product_identifier: 'NEW',
      total_amount_in_cents: 900,
    });
  });
});

describe('totals', () => {
  test('the deal’s total is the sum of its deal products', async () => {
    const deal = await w.deal();
    const first = await w.dealProduct({ deal_id: deal.id, quantity: 2, unit_amount_in_cents: 150 });
    await w.dealProduct({ deal_id: deal.id, quantity: 1, unit_amount_in_cents: 1 });
    expect((await w.fetchDeal(deal.id)).total_deal_products_amount_in_cents).toBe(301);
    await w.rest.put(`/deal_products/${first.id}`, { quantity: 1 });
    expect((await w.fetchDeal(deal.id)).total_deal_products_amount_in_cents).toBe(151);
  });

  test('the largest total is exact; one beyond it is a 422 that leaves no trace', async () => {
    const deal = await w.deal();
    const product = await w.product();
    const sent = { deal_id: deal.id, product_id: product.id };
    const max = await w.dealProduct({ ...sent, unit_amount_in_cents: largest - 1 });
    const last = await w.dealProduct({ ...sent, unit_amount_in_cents: 1 });
    expect(last.deal.total_deal_products_amount_in_cents).toBe(largest);
    const more = await w.rest.post('/deal_products', { ...sent, unit_amount_in_cents: 1 });
    expect(more).toAnswer(422, expect.objectContaining({ error: 'Validation failed' }));
    const doubled = await w.rest.put(`/deal_products/${max.id}`, { quantity: 2 });
    expect(doubled).toAnswer(422, expect.objectContaining({ error: 'Validation failed' }));
    const product3 = { ...sent, quantity: 3_037_000_500, unit_amount_in_cents: 3_037_000_500 };
    expect(await w.rest.post('/deal_products', product3)).toAnswer(
      422,
      expect.objectContaining({ error: 'Validation failed' }),
    );
    const { total_deal_products_amount_in_cents: total, deal_products } = await w.fetchDeal(
      deal.id,
    );
    expect(total).toBe(largest);
    expect(deal_products.map((each) => each.total_amount_in_cents)).toEqual([largest - 1, 1]);
  });

  test('deleting the contact of one deal leaves the totals of others', async () => {
    const product = await w.product({ amount_in_cents: 10 });
    const gone = await w.dealProduct({ product_id: product.id });
    const kept = await w.dealProduct({ product_id: product.id, quantity: 4 });
    await w.rest.delete(`/contacts/${gone.deal.contact_id}`);
    expect((await w.fetchDeal(kept.deal_id)).total_deal_products_amount_in_cents).toBe(40);
  });
});
