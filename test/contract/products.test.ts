import { describe, expect, test } from '@jest/globals';
import type { Product } from '../kit/records.ts';
import { invalid, invalidFields, malformedJson, notFound, unauthorized } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { dealProductBody, moment, onePage, productBody } from '../kit/shapes.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const full = {
  identifier: 'CH-1',
  name: 'Chair',
  description: 'Four legs\nand a back',
  amount_in_cents: 12_900,
  quantity_available: 7,
  custom_attributes: { colour: 'red' },
};

const largest = 9_007_199_254_740_991;

describe('GET /products/{id}', () => {
  test('200 with the whole product and all its deal products', async () => {
    const product = await w.product(full);
    const first = await w.dealProduct({ product_id: product.id, quantity: 2 });
    const second = await w.dealProduct({ product_id: product.id, product_name: 'Seat' });
    const kept = {
      product_id: product.id,
      unit_amount_in_cents: 12_900,
      product_identifier: 'CH-1',
    };
    expect(await w.rest.get(`/products/${product.id}`)).toAnswer(200, {
      ...product,
      deal_products: [
        dealProductBody(w.accountId, {
          ...kept,
          id: first.id,
          deal_id: first.deal_id,
          product_name: 'Chair',
          quantity: 2,
          total_amount_in_cents: 25_800,
        }),
        dealProductBody(w.accountId, {
          ...kept,
          id: second.id,
          deal_id: second.deal_id,
          product_name: 'Seat',
          total_amount_in_cents: 12_900,
        }),
      ],
    });
  });

  test('200 with an empty list when no deal has it', async () => {
    const product = await w.product(full);
    const answer = await w.rest.get(`/products/${product.id}`);
    expect(answer).toAnswer(200, { ...product, deal_products: [] });
  });

  test('401 without a token', async () => {
    const { id } = await w.product();
    expect(await w.restAs(undefined).get(`/products/${id}`)).toAnswer(401, unauthorized);
  });

  test('404 for a product of another account', async () => {
    const { id } = await (await world(service)).product();
    expect(await w.rest.get(`/products/${id}`)).toAnswer(404, notFound);
  });

  test.each(['999999999', '0', 'abc', '9007199254740992'])('404 for the id %s', async (id) => {
    expect(await w.rest.get(`/products/${id}`)).toAnswer(404, notFound);
  });
});

describe('POST /products', () => {
  test('201 with the whole product', async () => {
    expect(await w.rest.post('/products', full)).toAnswer(201, productBody(w.accountId, full));
  });

  test('201 without any field: every field has its default', async () => {
    expect(await w.rest.post('/products', {})).toAnswer(201, productBody(w.accountId));
    expect(await w.rest.post('/products')).toAnswer(201, productBody(w.accountId));
  });

  test('201 with null for every field: each has its default', async () => {
    const cleared = Object.fromEntries(Object.keys(full).map((field) => [field, null]));
    expect(await w.rest.post('/products', cleared)).toAnswer(201, productBody(w.accountId));
  });

  test('201 for an identifier that another product has', async () => {
    await w.product({ identifier: 'SAME' });
    const answer = await w.rest.post('/products', { identifier: 'SAME' });
    expect(answer).toAnswer(201, productBody(w.accountId, { identifier: 'SAME' }));
  });

  test('201 with the largest amounts', async () => {
    const max = { amount_in_cents: largest, quantity_available: largest };
    const answer = await w.rest.post<Product>('/products', max);
    expect(answer).toAnswer(201, productBody(w.accountId, max));
    expect((await w.fetchProduct(answer.body.id)).amount_in_cents).toBe(largest);
  });

  test('read-only fields are ignored', async () => {
    const product = await w.product({ id: 1, account_id: 1, additional_attributes: { a: 1 } });
    expect(product).toEqual(productBody(w.accountId));
    expect(product.id).toBeGreaterThan(1);
  });

  test('401 without a token', async () => {
    expect(await w.restAs(undefined).post('/products', full)).toAnswer(401, unauthorized);
  });

  test('404 in an account that is not the caller’s', async () => {
    const stranger = await world(service);
    expect(await stranger.restAs(w.admin.token).post('/products', full)).toAnswer(404, notFound);
  });

  test('422 for negative numbers', async () => {
    const answer = await w.rest.post('/products', { amount_in_cents: -1, quantity_available: -1 });
    expect(answer).toAnswer(
      422,
      invalid({
        amount_in_cents: 'must be greater than or equal to 0',
        quantity_available: 'must be greater than or equal to 0',
      }),
    );
  });

  test('422 for everything that is wrong, together; nothing is stored', async () => {
    const before = await w.count('products');
    const wrong = {
      identifier: 'x'.repeat(256),
      name: ['x'],
      description: 'x'.repeat(65_536),
      amount_in_cents: '12a',
      quantity_available: 0.5,
      custom_attributes: 7,
    };
    expect(await w.rest.post('/products', wrong)).toAnswer(
      422,
      invalidFields(...Object.keys(wrong)),
    );
    expect(await w.count('products')).toBe(before);
  });

  test('400 for malformed JSON', async () => {
    expect(await w.rest.post('/products', 'name=x')).toAnswer(400, malformedJson);
  });
});

describe('POST /products/search', () => {
  test('200 with the page of products that match', async () => {
    const product = await w.product({ name: 'Searched For' });
    expect(await w.rest.post('/products/search', { query: { name_cont: 'searched f' } })).toAnswer(
      200,
      onePage([product]),
    );
  });

  test('200 with an empty page when none matches', async () => {
    const answer = await w.rest.post('/products/search', { query: { identifier_eq: 'nothing' } });
    expect(answer).toAnswer(200, onePage([]));
  });

  test('401 without a token', async () => {
    expect(await w.restAs(undefined).post('/products/search', {})).toAnswer(401, unauthorized);
  });

  test('404 in an account that is not the caller’s', async () => {
    const stranger = await world(service);
    expect(await stranger.restAs(w.admin.token).post('/products/search', {})).toAnswer(
      404,
      notFound,
    );
  });
});

describe('PUT /products/{id}', () => {
  test('200 with the whole product', async () => {
    const product = await w.product();
    const answer = await w.rest.put<Product>(`/products/${product.id}`, full);
    expect(answer).toAnswer(200, { ...product, ...full, updated_at: moment });
    expect(answer.body.updated_at > product.updated_at).toBe(true);
  });

  test.each(Object.entries(full))('%s alone changes nothing else', async (field, value) => {
    const product = await w.product({ ...full, [field]: null });
    const answer = await w.rest.put(`/products/${product.id}`, { [field]: value });
    expect(answer).toAnswer(200, { ...product, ...full, updated_at: moment });
  });

  test('{} and an empty body change nothing', async () => {
    const product = await w.product(full);
    expect(await w.rest.put(`/products/${product.id}`, {})).toAnswer(200, product);
    expect(await w.rest.put(`/products/${product.id}`)).toAnswer(200, product);
  });

  test('null clears every field to its default', async () => {
    const product = await w.product(full);
    const cleared = Object.fromEntries(Object.keys(full).map((field) => [field, null]));
    const answer = await w.rest.put(`/products/${product.id}`, cleared);
    expect(answer).toAnswer(
      200,
      productBody(w.accountId, { id: product.id, created_at: product.created_at }),
    );
  });

  test('a fetched product can be sent back as it is', async () => {
    const product = await w.product(full);
    await w.dealProduct({ product_id: product.id });
    const fetched = await w.rest.get(`/products/${product.id}`);
    expect(await w.rest.put(`/products/${product.id}`, fetched.text)).toAnswer(200, product);
  });

  test('401 without a token', async () => {
    const { id } = await w.product();
    expect(await w.restAs(undefined).put(`/products/${id}`, full)).toAnswer(401, unauthorized);
  });

  test('404 for a product of another account, which stays as it was', async () => {
    const other = await world(service);
    const { id } = await other.product({ name: 'Theirs' });
    expect(await w.rest.put(`/products/${id}`, { name: 'Mine' })).toAnswer(404, notFound);
    expect((await other.fetchProduct(id)).name).toBe('Theirs');
  });

  test.each(['999999999', '0', 'abc', '9007199254740992'])('404 for the id %s', async (id) => {
    expect(await w.rest.put(`/products/${id}`, { name: 'x' })).toAnswer(404, notFound);
  });

  test('422 for everything that is wrong, together; the product stays as it was', async () => {
    const product = await w.product(full);
    const wrong = {
      name: 1.5,
      amount_in_cents: -1,
      quantity_available: 1.5,
      custom_attributes: null,
      description: {},
    };
    expect(await w.rest.put(`/products/${product.id}`, wrong)).toAnswer(
      422,
      invalidFields('name', 'amount_in_cents', 'quantity_available', 'description'),
    );
    expect(await w.fetchProduct(product.id)).toMatchObject(product);
  });
});
