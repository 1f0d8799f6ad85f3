/** What the records of another system are read from. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openSource } from '../../src/cli/import/woofed/open.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'answers-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a source is a folder of answers, or an account by HTTPS', () => {
  const noAccount =
    / is no account: write it as in https:\/\/crm.example.com\/api\/v1\/accounts\/7$/;
  test.each([
    ['http://crm.example.com/api/v1/accounts/7', noAccount],
    ['https://crm.example.com/api/v1', noAccount],
    ['/nowhere', /^There is no folder \/nowhere$/],
    ['https://crm.example.com/api/v1/accounts/7', /^Set WOOFED_TOKEN to /],
  ])('%s', async (place, message) => {
    const token = message.source.includes('WOOFED') ? undefined : 'token';
    await expect(openSource(place, token)).rejects.toThrow(message);
  });

  test('a folder without answers, and a file that is not one', async () => {
    await expect(openSource(folder, undefined)).rejects.toThrow(/ has no file such as contacts-1/);
    await writeFile(join(folder, 'contacts.json'), '{');
    const { source } = await openSource(folder, undefined);
    await expect(source.pages('contacts')[Symbol.asyncIterator]().next()).rejects.toThrow(
      /contacts\.json is no JSON$/,
    );
  });
});

test('a folder has each record once, with what an answer for it alone tells', async () => {
  const keep = (name: string, answer: object) =>
    writeFile(join(folder, name), JSON.stringify(answer));
  await keep('deals-1.json', { data: [{ id: 1 }, { id: '2' }, { id: 'x' }, 7], pagination: {} });
  await keep('deals-2.json', { id: 1, deal_products: [] });
  await keep('deal_products-1.json', { data: [{ id: 9 }] });
  const { source, name } = await openSource(`${folder}/`, undefined);
  const found: unknown[] = [];
  for await (const page of source.pages('deals')) found.push(...page);
  expect({ name, found }).toEqual({
    name: folder,
    found: [{ id: 2 }, { id: 1, deal_products: [] }],
  });
  expect(await source.one('deals', 1)).toEqual({ id: 1, deal_products: [] });
  expect(await source.one('deals', 3)).toBeUndefined();
  expect(await source.pipelines()).toBeUndefined();
});

describe('an API that answers something else is not read', () => {
  test.each([
    ['records that are not in the order of their ids', 200, [2, 1], / list contacts by their ids$/],
    ['no account', 404, [], /^There is no such account at the source$/],
    ['a redirect, which would have the token', 302, [], / answered 302: /],
  ])('%s', async (_, status, ids, message) => {
    const server = createServer((_request, response) => {
      const data = ids.map((id) => ({ id }));
      response.writeHead(status, { location: '/' }).end(JSON.stringify({ data }));
    });
    server.listen(0, 'localhost');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    try {
      const { source } = await openSource(`http://localhost:${port}/accounts/7`, 'token');
      const pages = source.pages('contacts')[Symbol.asyncIterator]();
      await expect(pages.next()).rejects.toThrow(message);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
