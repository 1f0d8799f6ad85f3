import { describe, expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
for (let n = 0; n < 10; n++) await w.contact();

const encodings = ['br', 'gzip'] as const;
const search = (headers = {}) => w.rest.post('/contacts/search', {}, headers);

describe('an answer of 1 KiB and more', () => {
  test.each(encodings)('comes as %s to those who ask for it', async (encoding) => {
    const plain = await search();
    expect(plain.headers['content-encoding']).toBeUndefined();
    const packed = await search({ 'accept-encoding': encoding });
    expect(packed.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(packed.bytes),
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(packed.text).toBe(plain.text);
    expect(packed.bytes).toBeLessThan(plain.bytes / 3);
  });

  test('says that it depends on what is accepted, whoever asks', async () => {
    expect((await search()).headers.vary).toBe('accept-encoding');
    expect((await search({ 'accept-encoding': 'br' })).headers.vary).toBe('accept-encoding');
  });

  test('comes so from /graphql too', async () => {
    const { headers, body } = await service.client.send({
      method: 'POST',
      path: '/graphql',
      headers: {
        authorization: `Bearer ${w.member.token}`,
        'content-type': 'application/json',
        'accept-encoding': 'gzip',
      },
      body: JSON.stringify({
        query: `{ contacts(account_id: ${w.accountId}) { data { id full_name email phone created_at updated_at } } }`,
      }),
    });
    expect(headers['content-encoding']).toBe('gzip');
    expect(body).toEqual({ data: { contacts: { data: expect.anything() } } });
  });
});

test('an answer of 1,023 bytes is not compressed, one of 1,024 is', async () => {
  const { id } = await w.product();
  const plain = await w.rest.get(`/products/${id}`);
  const sized = async (bytes: number) => {
    await w.rest.put(`/products/${id}`, { description: 'x'.repeat(bytes - plain.bytes) });
    const { headers, text } = await w.rest.get(`/products/${id}`, { 'accept-encoding': 'gzip' });
    return [Buffer.byteLength(text), headers['content-encoding']];
  };
  expect(await sized(1023)).toEqual([1023, undefined]);
  expect(await sized(1024)).toEqual([1024, 'gzip']);
});

test('a smaller answer stays as it is, and depends on nothing', async () => {
  const { headers, bytes } = await w.rest.post('/products', {}, { 'accept-encoding': 'br' });
  expect(bytes).toBeLessThan(1024);
  expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
});

describe('a page and its files', () => {
  test.each(['/openapi.json', '/graphiql'])('%s comes compressed', async (path) => {
    const [plain, packed, head] = await Promise.all([
      service.client.send({ method: 'GET', path }),
      service.client.send({ method: 'GET', path, headers: { 'accept-encoding': 'br' } }),
      service.client.send({ method: 'HEAD', path, headers: { 'accept-encoding': 'br' } }),
    ]);
    expect(packed.text).toBe(plain.text);
    expect([plain.headers.vary, packed.headers.vary]).toEqual(Array(2).fill('accept-encoding'));
    for (const { headers } of [packed, head]) {
      expect(headers['content-encoding']).toBe('br');
      expect(headers['content-length']).toBe(String(packed.bytes));
    }
  });
});
