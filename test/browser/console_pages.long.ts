/** What every page of the console keeps to. */
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Request } from 'playwright-core';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';
import { hasChromium, launch, open, type Watched } from './chromium.ts';
import { adminOf, expectAccessible, expectWithin, openAs, settled } from './console.ts';

const table = readFileSync(new URL('../../src/console/pages.ts', import.meta.url), 'utf8');
const paths = [...table.matchAll(/^ {4}path: '([^']+)'/gm)].map(([, path]) => path ?? '');

const scripts = new URL('../../dist/console/', import.meta.url);
const packed = (file: string): number => gzipSync(readFileSync(new URL(file, scripts))).length;

test('no page brings more than 40 KB of script of its own when compressed', () => {
  const files = readdirSync(scripts).filter((file) => file.endsWith('.js'));
  expect(files.length).toBeGreaterThan(0);
  const first: { script: string } = JSON.parse(
    readFileSync(new URL('entry.json', scripts), 'utf8'),
  );
  const large = files.filter((file) => file !== first.script && packed(file) > 40 * 1024);
  expect(large).toEqual([]);
});

const suite = hasChromium() ? describe : describe.skip;

suite('the console', () => {
  let service: Service;
  let account: World;
  let browser: Browser;
  /** One profile for all pages, in which an admin is signed in. */
  let signedIn: Watched;

  beforeAll(async () => {
    service = await startService();
    account = await world(service);
    await account.deal({ name: 'A deal' });
    browser = await launch();
    signedIn = await openAs(browser, service, (await adminOf(account)).email, '/account');
    await settled(signedIn.page);
  });

  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  test('the first page needs at most 100 KB of script when compressed', async () => {
    const asked = new Set<string>();
    const { email } = await adminOf(account);
    const { page } = await openAs(browser, service, email, '/dashboard');
    await settled(page);
    for (const url of await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name)`,
    )) {
      if (url.endsWith('.js')) asked.add(url.slice(url.lastIndexOf('/') + 1));
    }
    expect(asked.size).toBeGreaterThan(0);
    const sizes = [...asked].map(packed);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100 * 1024);
    await page.context().close();
  });

  /** Addresses of pages that are about one record. */
  const records: Readonly<Record<string, () => Promise<number>>> = {
    contacts: async () => (await account.contact({ label_list: ['vip'] })).id,
    deals: async () => (await account.dealProduct()).deal_id,
    users: async () => account.member.id,
    webhooks: async () => {
      const webhook = { url: 'https://example.com/', events: ['*'] };
      return (await account.rest.post<{ id: number }>('/webhooks', webhook)).body.id;
    },
  };

  async function addressOf(path: string): Promise<string> {
    if (!path.includes(':id')) return path;
    const [, resource = ''] = path.split('/');
    const id = await records[resource]?.();
    if (id === undefined) throw new Error(`no record is known for ${path}`);
    return path.replace(':id', String(id));
  }

  test.each(paths)(
    '%s is accessible, light and dark, wide and narrow, asks for nothing twice, and complains of nothing',
    async (path) => {
      const { page, complaints } = signedIn;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 1280, height: 800 });
      const queries: string[] = [];
      const note = (request: Request) => {
        const query = request.url().endsWith('/graphql') ? request.postData() : null;
        if (query !== null) queries.push(query);
      };
      page.on('request', note);
      await page.goto(`${service.url}/console${await addressOf(path)}`);
      await settled(page);
      await expectAccessible(page);
      page.off('request', note);
      expect(queries.filter((query, at) => queries.indexOf(query) !== at)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 390, height: 844 });
      await expectAccessible(page, ['color-contrast']);
      await expectWithin(page);
      expect(complaints).toEqual([]);
    },
  );

  test.each(['/sign-in', '/welcome#a-code'])(
    '%s is accessible, light and dark, and complains of nothing',
    async (path) => {
      const { page, complaints } = await open(browser, `${service.url}/console${path}`);
      await settled(page);
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectAccessible(page, ['color-contrast']);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  test('a member is shown no page that is for admins', async () => {
    const { email } = await account.user();
    const { page } = await openAs(browser, service, email, '/audit');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Pipelines' }).click();
    await page.getByRole('heading', { name: 'Pipelines' }).waitFor();
    expect(await page.getByRole('button', { name: 'New pipeline' }).count()).toBe(0);
    await page.context().close();
  });

  test('on a narrow screen Escape closes the menu, and its button has the focus', async () => {
    const { page } = signedIn;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${service.url}/console/users`);
    await settled(page);
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.click();
    await page.getByRole('link', { name: 'Pipelines' }).focus();
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    expect(await menu.and(page.locator(':focus')).count()).toBe(1);
  });

  test('it speaks the language of the user', async () => {
    const { email } = await account.user({ language: 'de' });
    const { page } = await openAs(browser, service, email, '/users');
    await page.getByRole('heading', { name: 'Personen' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.context().close();
  });
});
