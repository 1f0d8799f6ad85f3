/** What every page of the console keeps to. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { type World, world } from '../kit/world.ts';
import { open, type Watched } from './chromium.ts';
import { expectAccessible, expectWhole, openAs, settled, standards } from './console.ts';
import { fillOrdinarily, fillWithExtremes, type Shown } from './populations.ts';
import { browserSuite } from './suite.ts';

const table = readFileSync(new URL('../../src/console/pages.ts', import.meta.url), 'utf8');
const paths = [...table.matchAll(/^ {4}path: '([^']+)'/gm)].map(([, path]) => path ?? '');

const scripts = new URL('../../dist/console/', import.meta.url);
const packed = (file: string): number => gzipSync(readFileSync(new URL(file, scripts))).length;

/** What is looked at is drawn as a sales person has it, at a phone and at a large screen, too. */
const sizes = { phone: [390, 844], usual: [1280, 800], large: [2560, 1300] } as const;

browserSuite('the console', (scene) => {
  /** Accounts, each with its admin signed in, in one profile for all pages. */
  const accounts = new Map<string, Look>();
  let account: World;

  interface Look extends Watched {
    readonly admin: number;
    readonly account: World;
    readonly records: Partial<Shown>;
  }

  async function enter(
    name: string,
    language: string,
    fill?: (account: World) => Promise<Shown>,
  ): Promise<void> {
    const filled = await world(scene.service);
    if (!fill) {
      for (const id of [filled.pipelineId, filled.other.pipelineId]) {
        await filled.rest.delete(`/pipelines/${id}`);
      }
    }
    const { id, email } = await filled.user({ role: 'admin', full_name: 'Vera Boss', language });
    const records = fill ? await fill(filled) : { users: filled.member.id };
    const watched = await openAs(scene, email, '/account');
    await settled(watched.page);
    accounts.set(name, { ...watched, admin: id, account: filled, records });
  }

  beforeAll(async () => {
    account = await world(scene.service);
    await enter('ordinary', 'en', fillOrdinarily);
    await enter('extreme', 'de', fillWithExtremes);
    await enter('empty', 'pt-BR');
  });

  const lookOf = (name: string): Look => {
    const look = accounts.get(name);
    if (!look) throw new Error(`there is no account called ${name}`);
    return look;
  };

  const resize = (page: Page, size: keyof typeof sizes) => {
    const [width, height] = sizes[size];
    return page.setViewportSize({ width, height });
  };

  /** Opens a page in an account; undefined where it has no record that the page is about. */
  async function show(name: string, path: string): Promise<Page | undefined> {
    const { page, records } = lookOf(name);
    const kind = path.split('/')[1] ?? '';
    const [, id] = Object.entries(records).find(([known]) => known === kind) ?? [];
    if (path.includes(':id') && id === undefined) return undefined;
    await page.emulateMedia({ colorScheme: 'light' });
    await resize(page, 'usual');
    await page.goto(`${scene.service.url}/console${path.replace(':id', String(id))}`);
    await settled(page);
    return page;
  }

  /** The scripts that a page has run, by their names. */
  const scriptsOf = async (page: Page): Promise<readonly string[]> => {
    const names = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name)`,
    );
    return names.filter((name) => name.endsWith('.js')).map((name) => name.replace(/.*\//, ''));
  };

  const sizeOf = (files: readonly string[]) =>
    [...new Set(files)].reduce((sum, file) => sum + packed(file), 0);

  test('the first page needs at most 100 KB of script when compressed, and what any other adds 40 KB', async () => {
    const first = await show('ordinary', '/dashboard');
    if (!first) throw new Error('there is no dashboard');
    const known = await scriptsOf(first);
    expect(known.length).toBeGreaterThan(0);
    expect(sizeOf(known)).toBeLessThanOrEqual(100 * 1024);
    for (const path of paths) {
      const page = await show('ordinary', path);
      const added = page ? (await scriptsOf(page)).filter((file) => !known.includes(file)) : [];
      expect([path, sizeOf(added) <= 40 * 1024]).toEqual([path, true]);
    }
  });

  describe.each(paths)('%s', (path) => {
    test('asks for nothing twice, is accessible, and has all of its texts in their places', async () => {
      const { page, complaints } = lookOf('ordinary');
      const queries: string[] = [];
      const note = (request: Request) => {
        const query = request.url().endsWith('/graphql') ? request.postData() : null;
        if (query !== null) queries.push(query);
      };
      page.on('request', note);
      await show('ordinary', path);
      await expectAccessible(page);
      page.off('request', note);
      expect(queries.filter((query, at) => queries.indexOf(query) !== at)).toEqual([]);
      await expectWhole(page);
      await resize(page, 'large');
      await expectWhole(page);
      // Pages of records and lists have room for more there; what is written is no wider than can be read.
      const main = page.locator('main .record, main .board, main > .table-frame, main > .figures');
      for (const box of await main.all()) {
        expect((await box.boundingBox())?.width).toBeGreaterThan(0.7 * sizes.large[0]);
      }
      await page.emulateMedia({ colorScheme: 'dark' });
      await resize(page, 'phone');
      await expectAccessible(page, ['color-contrast', 'target-size']);
      await expectWhole(page);
      expect(complaints).toEqual([]);
    });

    test('has room for what it says in any language', async () => {
      const { account: own, admin, complaints } = lookOf('ordinary');
      for (const language of ['de', 'es', 'pt-BR']) {
        await own.rest.put(`/users/${admin}`, { language });
        const page = await show('ordinary', path);
        if (!page) throw new Error(`${path} needs a record`);
        expect(await page.locator('html').getAttribute('lang')).toBe(language);
        await expectWhole(page);
        await resize(page, 'phone');
        await expectWhole(page);
      }
      await own.rest.put(`/users/${admin}`, { language: 'en' });
      expect(complaints).toEqual([]);
    });

    test.each(['extreme', 'empty'])(
      'is accessible and keeps its form with %s data',
      async (name) => {
        const page = await show(name, path);
        if (!page) return;
        // What a line that is hidden behind an ellipsis covers counts for axe-core.
        await expectAccessible(page, standards, ['target-size']);
        await expectWhole(page, 'broken');
        await resize(page, 'large');
        await expectWhole(page, 'broken');
        await page.emulateMedia({ colorScheme: 'dark' });
        await resize(page, 'phone');
        if (name === 'empty') await expectAccessible(page, ['color-contrast']);
        await expectWhole(page, 'broken');
        expect(lookOf(name).complaints).toEqual([]);
      },
    );
  });

  test.each(['/sign-in', '/welcome#a-code'])(
    '%s is accessible, light and dark, and complains of nothing',
    async (path) => {
      const { page, complaints } = await open(scene.browser, `${scene.service.url}/console${path}`);
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
    const { page } = await openAs(scene, email, '/audit');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Pipelines' }).click();
    await page.getByRole('heading', { name: 'Pipelines' }).waitFor();
    expect(await page.getByRole('button', { name: 'New pipeline' }).count()).toBe(0);
    await page.context().close();
  });

  test('on a narrow screen Escape closes the menu, and its button has the focus', async () => {
    const { page } = lookOf('ordinary');
    await show('ordinary', '/users');
    await resize(page, 'phone');
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.click();
    await page.getByRole('link', { name: 'Pipelines' }).focus();
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    expect(await menu.and(page.locator(':focus')).count()).toBe(1);
    // Even before the menu is drawn, as where somebody is quicker than the machine.
    await menu.evaluate(async (button) => {
      button.dispatchEvent(new MouseEvent('click', { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve));
      dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    });
    await page.locator('.side:not(.open)').waitFor();
  });

  test('it speaks the language of the user', async () => {
    const { email } = await account.user({ language: 'de' });
    const { page } = await openAs(scene, email, '/users');
    await page.getByRole('heading', { name: 'Personen' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.context().close();
  });
});
