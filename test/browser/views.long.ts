/** Views of lists, beneath their lists in the navigation. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type World, world } from '../kit/world.ts';
import { expectAccessible, expectWithin, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('in the console, views', (scene) => {
  let account: World;

  beforeEach(async () => {
    account = await world(scene.service);
  });

  const save = (list: string, name: string, filters: object) =>
    account.graphql.data(
      `mutation ($account_id: Integer!, $input: SavedViewInput!) {
        create_saved_view(account_id: $account_id, input: $input) { id }
      }`,
      {
        account_id: account.accountId,
        input: { list, name, filters, query: {}, shared: true },
      },
    );
  const show = async (path: string, language = 'en') => {
    const { email } = await account.user({ role: 'admin', full_name: 'Vera Boss', language });
    const watched = await openAs(scene, email, path);
    await settled(watched.page);
    return watched;
  };
  const menu = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
  const viewsOf = (page: Page, list: string) => page.getByRole('list', { name: `Views: ${list}` });

  test('stand beneath the list of contacts, deals and products that they are of', async () => {
    await account.product({ name: 'Desk' });
    await account.product({ name: 'Lamp' });
    await save('contacts', 'Vips', { label: 'vip' });
    await save('deals', 'Won', { status: 'won' });
    await save('products', 'Desks', { text: 'desk' });
    const { page, complaints } = await show('/today');
    await viewsOf(page, 'Contacts').getByRole('link', { name: 'Vips' }).click();
    await page.waitForURL('**/contacts?label=vip');
    await viewsOf(page, 'Deals').getByRole('link', { name: 'Won' }).click();
    await page.waitForURL('**/deals?status=won');
    await viewsOf(page, 'Products').getByRole('link', { name: 'Desks' }).click();
    await page.waitForURL('**/products?text=desk');
    await page.getByRole('button', { name: 'Lamp', exact: true }).waitFor({ state: 'detached' });
    const current = menu(page).locator('ul ul [aria-current=page]');
    expect(await current.allInnerTexts()).toEqual(['Desks']);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('appear when they are saved, and go when they are removed', async () => {
    await account.product({ name: 'Desk' });
    const { page, complaints } = await show('/products?text=desk');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Desks');
    await page.keyboard.press('Enter');
    await viewsOf(page, 'Products').getByRole('link', { name: 'Desks' }).waitFor();
    await page.getByRole('button', { name: 'Delete Desks' }).click();
    await viewsOf(page, 'Products').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await viewsOf(page, 'Products').getByRole('link', { name: 'Desks' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('are renamed and shared after they were saved', async () => {
    await save('deals', 'Mine', { status: 'open' });
    const { page, complaints } = await show('/deals?status=open');
    await page.getByRole('button', { name: 'Edit Mine' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Mine' });
    expect(await dialog.getByLabel('Share with everybody').isChecked()).toBe(true);
    await dialog.getByLabel('Name').fill('Ours');
    await dialog.getByLabel('Share with everybody').uncheck();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await viewsOf(page, 'Deals').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('beyond five are behind a button, which keys reach, at 390 and at 1280 pixels', async () => {
    for (const at of [1, 2, 3, 4, 5, 6, 7]) await save('deals', `View ${at}`, { text: `x${at}` });
    const { page, complaints } = await show('/today');
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      if (width === 390) await page.getByRole('button', { name: 'Menu' }).click();
      const links = viewsOf(page, 'Deals').getByRole('link');
      await links.first().waitFor();
      expect(await links.count()).toBe(5);
      await expectAccessible(page);
      await expectWithin(page);
      await links.last().focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await viewsOf(page, 'Deals').getByRole('button', { name: 'Fewer', expanded: true }).waitFor();
      await page.keyboard.press('Shift+Tab');
      expect(await page.locator(':focus').innerText()).toBe('View 7');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/deals?text=x7');
      await settled(page);
      if (width === 390) expect(await viewsOf(page, 'Deals').isVisible()).toBe(false);
      await page.goto(`${scene.service.url}/console/today`);
      await settled(page);
    }
    expect(complaints).toEqual([]);
  });

  test.each([
    ['en', 'Views: Deals', '2 more'],
    ['de', 'Ansichten: Deals', '2 weitere'],
    ['es', 'Vistas: Negocios', '2 más'],
    ['pt-BR', 'Visões: Negócios', 'mais 2'],
  ])('are told of in %s', async (language, name, more) => {
    for (const at of [1, 2, 3, 4, 5, 6, 7]) await save('deals', `View ${at}`, { text: `x${at}` });
    const { page } = await show('/keys', language);
    await page.getByRole('list', { name }).getByRole('button', { name: more }).waitFor();
    await page.context().close();
  });

  test('filters that few need are folded, so that a list begins near the top, unless they narrow it', async () => {
    await account.deal({ name: 'Kitchen' });
    const { page, complaints } = await show('/deals');
    const amount = page.getByLabel('Amount from');
    expect(await amount.isVisible()).toBe(false);
    const [first] = await page.locator('tbody tr').all();
    expect((await first?.boundingBox())?.y).toBeLessThan(300);
    await page.getByRole('button', { name: 'More filters' }).click();
    await amount.fill('1');
    await page.getByText('Nothing matches these filters').waitFor();
    await page.reload();
    await page.getByText('Nothing matches these filters').waitFor();
    await expectAccessible(page);
    // Where they are emptied they stay until they are folded again.
    await amount.fill('');
    await page.getByRole('link', { name: 'Kitchen' }).waitFor();
    await page.getByRole('button', { name: 'Fewer filters' }).click();
    await amount.waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });
});
