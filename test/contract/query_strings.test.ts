/** Query strings are read as they were meant, or refused: a text read as another finds nobody. */
import { expect, test } from '@jest/globals';
import { answerToBytes } from '../kit/bytes.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
await w.contact({ full_name: 'José' });
const path = `/api/v1/accounts/${w.accountId}`;

/** The status and body of a GET whose target is sent byte by byte. */
async function get(target: string) {
  const head = `GET ${path}${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${w.admin.token}`;
  const text = await answerToBytes(service.url, Buffer.from(`${head}\r\n\r\n`, 'latin1'));
  const [first = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(first.split(' ')[1]), body: JSON.parse(body.slice(body.indexOf('{'))) };
}

test('a name in percent-encoded UTF-8 finds its contact', async () => {
  const found = await get('/contacts/search?query[full_name_eq]=Jos%C3%A9&count=none');
  expect([found.status, found.body.data.length]).toEqual([200, 1]);
});

test('a name in plain bytes is no HTTP, and a 400', async () => {
  for (const name of ['Jos\xe9', 'Jos\xc3\xa9']) {
    expect(await get(`/contacts/search?query[full_name_eq]=${name}`)).toMatchObject({
      status: 400,
    });
  }
});

test.each([
  ['percent-encoded Latin-1', '?query[full_name_eq]=Jos%E9'],
  ['a broken escape', '?query[full_name_eq]=100%'],
  ['an escape that is no number', '?query[full_name_eq]=%zz'],
  ['a character cut in two', '?query[full_name_eq]=%C3&page=%A9'],
  ['half of a pair', '?query[full_name_eq]=%ED%A0%80'],
  ['a name in Latin-1', '?query[%E9]=x'],
])('%s is a 400', async (_, query) => {
  for (const route of ['/contacts/search', '/contacts/export', '/changes']) {
    const { status, body } = await get(`${route}${query}`);
    expect([route, status]).toEqual([route, 400]);
    expect(body).toEqual({
      error: 'Bad request',
      code: 'bad_request',
      errors: [
        'The query string is not UTF-8 with each special byte as % and two hexadecimal digits',
      ],
      request_id: expect.any(String),
    });
  }
});

test.each(['page=&per_page=&after=&count=', 'page&per_page&after&count', 'page=&count=none'])(
  'empty parts of a page count as left out: %s',
  async (empty) => {
    const all = await get('/contacts/search?per_page=&count=');
    expect(all.status).toBe(200);
    const found = await get(`/contacts/search?${empty}`);
    expect([found.status, found.body.data]).toEqual([200, all.body.data]);
    const posted = await w.rest.post<{ data: unknown }>(`/contacts/search?${empty}`, {
      ...{ page: '', per_page: '', after: '', count: '' },
    });
    expect([posted.status, posted.body.data]).toEqual([200, all.body.data]);
  },
);

test('empty limits count as left out', async () => {
  for (const [path, empty] of [
    ['/changes?', 'limit=&wait='],
    ['/find?q=maria&', 'limit='],
  ] as const) {
    const [one, other] = [await get(path), await get(`${path}${empty}`)];
    expect([other.status, other.body]).toEqual([200, one.body]);
    expect(await get(`${path}limit=x`)).toMatchObject({ status: 422 });
  }
});

test('an empty cursor of the feed counts as left out, a blank page does not', async () => {
  expect(await get('/changes?after=')).toMatchObject({ status: (await get('/changes')).status });
  expect(await get('/contacts/search?page=%20')).toMatchObject({ status: 422 });
});
