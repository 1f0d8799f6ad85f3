/** Lists on a phone: what is around their rows takes little of it, and is all there. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type World, world } from '../kit/world.ts';
import { expectAccessible, expectWhole, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('in the console, a list on a phone', (scene) => {
  let account: World;

  beforeEach(async () => {
    account = await world(scene.service);
    const contact = await account.contact({ full_name: 'Ana Lima', label_list: ['vip'] });
    await account.deal({ name: 'First year', contact_id: contact.id });
    await account.product({ name: 'Desk' });
  });

  const show = async (path: string, language = 'en') => {
    const { email } = await account.user({ role: 'admin', full_name: 'Vera Boss', language });
    const watched = await openAs(scene, email, path);
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
    // The box by which a row is chosen takes room of its first line alone.
    const [, second, ...others] = await row.locator('td[data-title]').all();
    const width = async (cell?: Locator) => (await cell?.boundingBox())?.width;
    expect(await width(second)).toBe(await width(others.at(-1)));
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

  test('of the audit log begins on the first screen, too, with its filters behind a button', async () => {
    const { page, complaints } = await show(`/audit?person=${account.admin.id}`);
    const entry = page.locator('.entries > li').first();
    expect((await entry.boundingBox())?.y).toBeLessThan(320);
    await button(page, 'Filters (1)').click();
    await page.getByLabel('Kind of record').selectOption('product');
    await button(page, 'Filters (2)').waitFor();
    await expectWhole(page);
    await expectAccessible(page);
    await button(page, 'Clear filters').click();
    await button(page, 'Filters').click();
    expect((await entry.boundingBox())?.y).toBeLessThan(320);
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

  test('says in one line what was chosen, in sight and over no row, with all that can be done behind a button', async () => {
    const contact_id = (await account.contact({ full_name: 'Bia Souza' })).id;
    const records = Array.from({ length: 29 }, (_, at) => {
      return { name: `Deal ${at}`, stage_id: account.stageIds[0], contact_id };
    });
    await account.rest.post('/deals/batch', { operation: 'create', records });
    const { page, complaints } = await show('/deals');
    const rows = page.locator('tbody tr');
    const box = (row: number) => rows.nth(row).getByRole('checkbox');
    await box(0).check();
    const bar = page.getByRole('region', { name: 'What was chosen' });
    const edges = async (of: Locator) => {
      const { y = 0, height = 0 } = (await of.boundingBox()) ?? {};
      return [y, y + height] as const;
    };
    const [top, bottom] = await edges(bar);
    expect(bottom - top).toBeLessThan(60);
    expect((await edges(rows.first()))[0]).toBeGreaterThanOrEqual(bottom);
    await box(24).check();
    await bar.getByText('2 chosen').waitFor();
    const [, header] = await edges(page.locator('.side'));
    expect((await edges(bar))[0]).toBeCloseTo(header, 0);
    // What comes into focus from below is beneath the bar.
    await page.keyboard.press('Shift+Tab');
    while (!(await box(20).evaluate((element) => element === document.activeElement))) {
      await page.keyboard.press('Shift+Tab');
    }
    expect((await edges(box(20)))[0]).toBeGreaterThanOrEqual((await edges(bar))[1]);
    await expectWhole(page);
    await bar.getByRole('button', { name: 'Actions' }).press('Enter');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
      await expectWhole(page);
    }
    await bar.getByLabel('Stage').selectOption({ label: 'Sales · Talks' });
    await page.getByText('Done with 2.').waitFor();
    const query = { stage_id_eq: account.stageIds[1] };
    const { body } = await account.rest.post<{ data: unknown[] }>('/deals/search', { query });
    expect(body.data).toHaveLength(2);
    expect(complaints).toEqual([]);
  });

  test('labels what was chosen from behind its button', async () => {
    const { page, complaints } = await show('/contacts');
    await page.getByRole('checkbox', { name: 'Choose Ana Lima' }).check();
    const bar = page.getByRole('region', { name: 'What was chosen' });
    await bar.getByRole('button', { name: 'Actions' }).click();
    await bar.getByRole('button', { name: 'Add label' }).click();
    await page.getByRole('dialog').getByLabel('Label').fill('fair');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByText('Done with 1.').waitFor();
    await page.getByText('fair', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test.each([
    ['en', 'Filters (1)', 'Actions', 'Save view', 'All 30 that match'],
    ['de', 'Filter (1)', 'Aktionen', 'Ansicht speichern', 'Alle 30 Treffer'],
    ['es', 'Filtros (1)', 'Acciones', 'Guardar vista', 'Los 30 que coinciden'],
    ['pt-BR', 'Filtros (1)', 'Ações', 'Salvar visão', 'Todos os 30 encontrados'],
  ])('is told of in %s', async (language, filters, actions, save, all) => {
    const records = Array.from({ length: 29 }, () => ({ label_list: ['vip'] }));
    await account.rest.post('/contacts/batch', { operation: 'create', records });
    const { page } = await show('/contacts?label=vip', language);
    await button(page, filters).waitFor();
    await button(page, actions).waitFor();
    await button(page, save).waitFor();
    const row = page.locator('tbody tr').first();
    expect((await row.boundingBox())?.y).toBeLessThan(320);
    await expectWhole(page);
    for (const box of await page.locator('td.choice input').all()) await box.check();
    await button(page, all).waitFor();
    await expectWhole(page);
    expect((await page.locator('.bulk').boundingBox())?.height).toBeLessThan(60);
    await page.context().close();
  });
});
