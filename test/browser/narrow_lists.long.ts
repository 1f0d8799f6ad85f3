/** Lists on a phone: what is around their rows takes little of it, and is all there. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';
import { hasChromium, launch } from './chromium.ts';
import { expectAccessible, expectWhole, openAs, settled } from './console.ts';

const suite = hasChromium() ? describe : describe.skip;

suite('in the console, a list on a phone', () => {
  let service: Service;
  let browser: Browser;
  let account: World;

  beforeAll(async () => {
    service = await startService();
    browser = await launch();
  });

  beforeEach(async () => {
    account = await world(service);
    const contact = await account.contact({ full_name: 'Ana Lima', label_list: ['vip'] });
    await account.deal({ name: 'First year', contact_id: contact.id });
    await account.product({ name: 'Desk' });
  });

  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  const show = async (path: string, language = 'en') => {
    const { email } = await account.user({ role: 'admin', full_name: 'Vera Boss', language });
    const watched = await openAs(browser, service, email, path);
    await watched.page.setViewportSize({ width: 390, height: 844 });
    // Where there are fingers, buttons are larger.
    const session = await watched.page.context().newCDPSession(watched.page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await settled(watched.page);
    return watched;
  };
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  test.each([
    ['contacts', 'label=vip'],
    ['deals', `status=open&least=0`],
    ['products', 'text=desk'],
  ])('of %s begins on the first screen, with filters and a view saved', async (list, search) => {
    await account.graphql.data(
      `mutation ($account_id: Integer!, $input: SavedViewInput!) {
        create_saved_view(account_id: $account_id, input: $input) { id }
      }`,
      {
        account_id: account.accountId,
        input: {
          ...{ list, name: 'Those that we met at the fair', query: {}, shared: true },
          filters: { text: 'fair' },
        },
      },
    );
    const { page, complaints } = await show(`/${list}?${search}`);
    const row = page.locator('tbody tr').first();
    expect((await row.boundingBox())?.y).toBeLessThan(320);
    await expectWhole(page);
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const name of ['Actions', 'Filters']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    expect(complaints).toEqual([]);
  });

  test('unfolds its filters by key, and says how many are set', async () => {
    const { page, complaints } = await show('/deals');
    expect(await page.getByLabel('Status').isVisible()).toBe(false);
    await button(page, 'Filters').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Status').selectOption('won');
    await page.getByText('Nothing matches these filters').waitFor();
    await page.getByLabel('Amount from').fill('0');
    await button(page, 'Filters (2)').waitFor();
    await expectWhole(page);
    await expectAccessible(page);
    await button(page, 'Filters (2)').press('Space');
    expect(await page.getByLabel('Status').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('has all that is done with it behind one button, which keys reach and leave', async () => {
    const { page, complaints } = await show('/contacts');
    const menu = button(page, 'Actions');
    expect(await button(page, 'Columns').isVisible()).toBe(false);
    await menu.focus();
    await page.keyboard.press('Enter');
    await button(page, 'Columns').waitFor();
    await page.getByRole('link', { name: 'Duplicates' }).waitFor();
    await page.getByRole('link', { name: 'Raw data' }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
      await expectWhole(page);
    }
    await page.keyboard.press('Escape');
    await button(page, 'Columns').waitFor({ state: 'hidden' });
    expect(await menu.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Columns' });
    await dialog.getByRole('checkbox', { name: 'Phone' }).uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await button(page, 'Columns').isVisible()).toBe(false);
    expect(await menu.evaluate((element) => element === document.activeElement)).toBe(true);
    await menu.click();
    const coming = page.waitForEvent('download');
    await button(page, 'Spreadsheet').click();
    expect((await coming).suggestedFilename()).toMatch(/^contacts-.*\.csv$/);
    expect(await button(page, 'Spreadsheet').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['en', 'Filters (1)', 'Actions', 'Save view'],
    ['de', 'Filter (1)', 'Aktionen', 'Ansicht speichern'],
    ['es', 'Filtros (1)', 'Acciones', 'Guardar vista'],
    ['pt-BR', 'Filtros (1)', 'Ações', 'Salvar visão'],
  ])('is told of in %s', async (language, filters, actions, save) => {
    const { page } = await show('/contacts?label=vip', language);
    await button(page, filters).waitFor();
    await button(page, actions).waitFor();
    await button(page, save).waitFor();
    const row = page.locator('tbody tr').first();
    expect((await row.boundingBox())?.y).toBeLessThan(320);
    await expectWhole(page);
    await page.context().close();
  });
});
