/** Papers for people and programs: guides, their list, and parts of the OpenAPI document. */
import { describe, expect, test } from '@jest/globals';
import { codes } from '../../src/errors/codes.ts';
import { guides, textOf } from '../kit/guides.ts';
import { noRoute } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import '../kit/to_answer.ts';

const service = await sharedService();

const get = (path: string) =>
  service.client.send<{
    tags: readonly { name: string }[];
    paths: object;
    components: { schemas: object };
  }>({ method: 'GET', path });

const hrefs = (html: string): readonly string[] =>
  [...html.matchAll(/href="(\/[^"#]*)/g)].map(([, path = '']) => path);

test('every guide for users is a page and a Markdown file, and the list has them all', async () => {
  const { status, text } = await get('/docs');
  expect(status).toBe(200);
  const pages = hrefs(text).filter((path) => path.startsWith('/docs/'));
  const forUsers = guides.filter((file) => /docs\/(api|how-to|reference)\//.test(file));
  expect([...pages].sort()).toEqual(
    forUsers.map((file) => `/docs/${file.replace(/^.*\/|\.md$/g, '')}`).sort(),
  );
  for (const page of pages) {
    const [html, markdown] = [await get(page), await get(`${page}.md`)];
    expect([page, html.status, html.headers['content-type']]).toEqual([
      page,
      200,
      'text/html; charset=utf-8',
    ]);
    expect(html.text).not.toContain('<script');
    expect(html.text).toMatch(/<h1 id="/);
    expect([page, markdown.status, markdown.headers['content-type']]).toEqual([
      page,
      200,
      'text/markdown; charset=utf-8',
    ]);
    expect(markdown.text).toMatch(/^# /);
    // What the service does not serve is named, and not linked to the list of guides.
    expect(hrefs(html.text.split('<main>')[1] ?? '')).not.toContain('/docs');
    expect(markdown.text).not.toContain('](/docs)');
    for (const path of new Set([
      ...hrefs(html.text),
      ...[...markdown.text.matchAll(/\]\((\/docs[^)#]*)/g)].map(([, at = '']) => at),
    ])) {
      expect([page, path, (await get(path)).status]).toEqual([page, path, 200]);
    }
  }
});

test('a guide says the same as its file', async () => {
  const { text } = await get('/docs/conditional-requests.md');
  const plain = (markdown: string) => markdown.replaceAll(/\]\([^)]*\)/g, ']');
  expect(plain(text)).toBe(plain(textOf('src/docs/api/conditional-requests.md')));
});

test('the address of each code of an error leads to its paragraph', async () => {
  const { text } = await get('/docs/errors');
  for (const { code } of Object.values(codes)) expect(text).toContain(`<h3 id="${code}">`);
});

test('/llms.txt lists the guides and the parts of the OpenAPI document in 4 kB at most', async () => {
  const { status, headers, text } = await get('/llms.txt');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000);
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  expect(links.length).toBeGreaterThan(20);
  for (const link of links) expect([link, (await get(link)).status]).toEqual([link, 200]);
  const tags = /Tags: (.*)\./.exec(text)?.[1]?.split(', ');
  const { body } = await get('/openapi.json');
  expect(tags).toEqual(body.tags.map(({ name }) => name));
});

describe('/openapi.json?tag=', () => {
  test('has the operations of one tag, and all that they refer to', async () => {
    const { status, headers, body, text } = await get('/openapi.json?tag=contacts');
    expect(status).toBe(200);
    expect(Object.keys(body.paths)).toContain('/api/v1/accounts/{account_id}/contacts/{id}');
    expect(text).not.toContain('"tags":["deals"]');
    const whole = await get('/openapi.json');
    expect(text.length).toBeLessThan(whole.text.length / 2);
    const named = [...text.matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)];
    for (const [, kind = '', name = ''] of named) {
      expect(Reflect.get(Object(Reflect.get(body.components, kind)), name)).toBeDefined();
    }
    const again = await service.client.send({
      method: 'GET',
      path: '/openapi.json?tag=contacts',
      headers: { 'if-none-match': String(headers.etag) },
    });
    expect(again.status).toBe(304);
  });

  test('is a 404 for an unknown one, and all of it for none', async () => {
    expect(await get('/openapi.json?tag=nothing')).toAnswer(404, noRoute);
    expect(await get('/openapi.json?tag=a&tag=b')).toAnswer(404, noRoute);
    expect((await get('/openapi.json?tag=')).text).toBe((await get('/openapi.json')).text);
  });
});

test('a guide that there is not is a 404', async () => {
  expect(await get('/docs/nothing')).toAnswer(404, noRoute);
  expect(await get('/docs/..%2f..%2fpackage.json')).toAnswer(404, noRoute);
});
