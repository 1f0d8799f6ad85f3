/** Columns of lists: chosen, put in order, kept, and taken along. */
import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { readCsv } from '../kit/csv.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { patienceMs } from './chromium.ts';
import { expectAccessible, expectWithin, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

/** A moment as sheets have it. */
const clock = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);

browserSuite('in the console, columns of a list', (scene) => {
  let account: World;

  beforeEach(async () => {
    account = await world(scene.service);
  });

  const show = async (path: string, fields: object = {}) => {
    const { email } = await account.user({ role: 'admin', ...fields });
    const watched = await openAs(scene, email, path);
    await settled(watched.page);
    return watched;
  };
  const titles = (page: Page) => page.locator('thead th:not(.choice, .actions)').allInnerTexts();
  const expectTitles = async (page: Page, wanted: readonly string[]) => {
    await until(
      () => titles(page),
      (found) => found.join() === wanted.join(),
      patienceMs,
    ).catch(() => undefined);
    expect(await titles(page)).toEqual(wanted);
  };
  const cells = (page: Page, row: number) =>
    page.locator('tbody tr').nth(row).locator('td:not(.choice)').allInnerTexts();
  const openDialog = async (page: Page) => {
    if (page.viewportSize()?.width === 390) {
      await page.getByRole('button', { name: 'Actions', exact: true }).click();
    }
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    return page.getByRole('dialog', { name: 'Columns' });
  };
  const searchOf = (page: Page) => new URL(page.url()).searchParams.get('columns');

  test('are chosen and put in order, custom attributes among them, and stay so', async () => {
    const custom_attributes = { city: 'Rio', seats: 5 };
    await account.contact({ full_name: 'Ana Lima', email: 'ana@example.com', custom_attributes });
    const { page, complaints } = await show('/contacts');
    await expectTitles(page, ['Name', 'E-mail', 'Phone', 'Labels', 'Created']);
    const dialog = await openDialog(page);
    expect(await dialog.getByRole('checkbox', { name: 'Name' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'Phone' }).uncheck();
    await dialog.getByRole('checkbox', { name: 'Labels' }).uncheck();
    await dialog.getByRole('checkbox', { name: 'city' }).check();
    await dialog.getByRole('checkbox', { name: 'seats' }).check();
    await dialog.getByRole('button', { name: 'Move seats up' }).click();
    await dialog.getByRole('button', { name: 'Move E-mail down' }).click();
    await dialog.getByRole('button', { name: 'Move E-mail down' }).press('ArrowDown');
    await dialog.getByRole('button', { name: 'Move E-mail down' }).press('ArrowDown');
    const chosen = ['Name', 'Created', 'E-mail', 'seats', 'city'];
    await expectTitles(page, chosen);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const today = (await cells(page, 0))[1];
    const row = [
      expect.stringContaining('Ana Lima'),
      today,
      expect.stringContaining('ana@example.com'),
      '5',
      'Rio',
    ];
    expect(await cells(page, 0)).toEqual(row);
    expect(await page.locator('th[aria-sort]').allInnerTexts()).toEqual([
      ...['Name', 'Created', 'E-mail'],
    ]);

    await page.reload();
    await settled(page);
    await expectTitles(page, chosen);
    const menu = page.getByRole('navigation', { name: 'Pages' });
    await menu.getByRole('link', { name: 'Products' }).click();
    await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
    await menu.getByRole('link', { name: 'Contacts' }).click();
    await expectTitles(page, chosen);
    expect(await cells(page, 0)).toEqual(row);

    await (await openDialog(page)).getByRole('button', { name: 'As usual' }).click();
    await expectTitles(page, ['Name', 'E-mail', 'Phone', 'Labels', 'Created']);
    expect(searchOf(page)).toBeNull();
    expect(complaints).toEqual([]);
  });

  test('are chosen and moved by keys alone, and an attribute by its name', async () => {
    await account.product({ name: 'Desk', custom_attributes: { wood: 'oak' } });
    const { page, complaints } = await show('/products');
    await page.getByRole('button', { name: 'Columns', exact: true }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Columns' });
    await dialog.getByRole('checkbox', { name: 'wood' }).waitFor();
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    expect(await focused.getAttribute('name')).toBe('identifier');
    await page.keyboard.press('Space');
    await expectTitles(page, ['Name', 'Price', 'In stock']);
    for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'ArrowUp', 'ArrowUp']) {
      await page.keyboard.press(key);
    }
    await dialog.getByRole('status').getByText('Price is now number 2.').waitFor();
    await until(
      () => focused.getAttribute('aria-label'),
      (label) => label === 'Move Price up',
      patienceMs,
    );
    await dialog.getByLabel('Name of the attribute').focus();
    await page.keyboard.type('wood, of its legs');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectTitles(page, ['Name', 'Price', 'In stock', 'wood, of its legs']);
    await page.reload();
    await expectTitles(page, ['Name', 'Price', 'In stock', 'wood, of its legs']);
    expect(complaints).toEqual([]);
  });

  test('are kept by a saved view, also for whom it is shared with', async () => {
    await account.deal({ name: 'First year', custom_attributes: { source: 'fair' } });
    const { page } = await show('/deals');
    const dialog = await openDialog(page);
    for (const title of ['Contact', 'Status', 'Owner', 'Created']) {
      await dialog.getByRole('checkbox', { name: title }).uncheck();
    }
    await dialog.getByRole('checkbox', { name: 'source' }).check();
    await dialog.getByRole('checkbox', { name: 'Pipeline' }).check();
    await page.keyboard.press('Escape');
    const chosen = ['Name', 'Stage', 'Amount', 'Pipeline', 'source'];
    await expectTitles(page, chosen);
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Where from');
    await page.getByLabel('Share with everybody').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const views = page.getByRole('navigation', { name: 'Views', exact: true });
    await views.getByRole('link', { name: 'Where from' }).waitFor();
    const all = views.getByRole('link', { name: 'All' });
    await all.click();
    await expectTitles(page, chosen);
    expect(await all.getAttribute('aria-current')).toBe('page');
    const { email } = await account.user();
    const colleague = await openAs(scene, email, '/today');
    await colleague.page
      .getByRole('list', { name: 'Views: Deals' })
      .getByRole('link', { name: 'Where from' })
      .click();
    await expectTitles(colleague.page, chosen);
    expect((await cells(colleague.page, 0)).slice(3)).toEqual(['Sales', 'fair']);
    expect(colleague.complaints).toEqual([]);
  });

  test.each([
    [
      '/contacts?columns=name,custom_attributes.city,labels,email,phone,created,updated',
      ['Name', 'city', 'Labels', 'E-mail', 'Phone', 'Created', 'Last changed'],
      ['Ana Lima', 'Rio', 'vip', 'ana@example.com', '', clock, clock],
    ],
    [
      '/deals?columns=amount,stage,custom_attributes.none,contact,custom_attributes.sizes',
      ['Name', 'Amount', 'Stage', 'none', 'Contact', 'sizes'],
      ['First year', '0', 'New', '', 'Ana Lima', '[1,"L"]'],
    ],
    [
      '/deals?columns=reason,lost,won,phone,email,pipeline,updated,created,owner,status',
      [
        ...['Name', 'Reason', 'Lost on', 'Won on', 'Phone', 'E-mail', 'Pipeline', 'Last changed'],
        ...['Created', 'Owners', 'Status'],
      ],
      [
        ...['First year', '', '', '', '', 'ana@example.com', 'Sales', clock, clock],
        ...['Ada Admin', 'Open'],
      ],
    ],
  ])('are those of the spreadsheet of %s', async (path, header, row) => {
    const contact = { full_name: 'Ana Lima', email: 'ana@example.com', label_list: ['vip'] };
    const { id } = await account.contact({ ...contact, custom_attributes: { city: 'Rio' } });
    const custom_attributes = { sizes: [1, 'L'] };
    await account.deal({ name: 'First year', contact_id: id, custom_attributes });
    const { page } = await show(path);
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Spreadsheet' }).click();
    const text = readFileSync(await (await coming).path(), 'utf8');
    expect(readCsv(text.slice(1))).toEqual([header, row]);
  });

  test('are as usual where the address names none, and what it mistypes is passed over', async () => {
    await account.contact({ full_name: 'Ana Lima' });
    const { page, complaints } = await show('/contacts?columns=nonsense,,%22,custom_attributes.');
    const usual = ['Name', 'E-mail', 'Phone', 'Labels', 'Created'];
    await expectTitles(page, usual);
    for (const [written, wanted] of [
      ['name,nonsense,phone,phone,__proto__,custom_attributes.__proto__', ['Phone', '__proto__']],
      ['name', []],
      ['"name', undefined],
    ] as const) {
      await page.goto(
        `${scene.service.url}/console/contacts?${new URLSearchParams({ columns: written })}`,
      );
      await settled(page);
      await expectTitles(page, wanted ? ['Name', ...wanted] : usual);
    }
    expect(complaints).toEqual([]);
  });

  test('that are not usual are asked for only where one is shown', async () => {
    await account.contact({ full_name: 'Ana Lima', custom_attributes: { city: 'Rio' } });
    const { page } = await show('/today');
    const answerFor = async (columns: string) => {
      const coming = page.waitForResponse((response) =>
        Boolean(response.request().postData()?.includes('query Contacts(')),
      );
      await page.goto(`${scene.service.url}/console/contacts?columns=${columns}`);
      return (await coming).text();
    };
    const narrow = await answerFor('phone');
    expect(narrow).toContain('Ana Lima');
    expect(narrow).not.toContain('Rio');
    expect(await answerFor('phone,custom_attributes.city')).toContain('Rio');
  });

  test('keep the page in its width and rows low, however long texts are', async () => {
    const long = 'x'.repeat(200);
    const custom_attributes = { [long]: long, note: `${'word '.repeat(200)}`, city: 'Rio' };
    const { id } = await account.contact({ full_name: 'Ana Lima', custom_attributes });
    await account.deal({ name: 'First year', contact_id: id, custom_attributes });
    await account.product({ name: 'Desk', custom_attributes });
    const keys = [long, 'note', 'city'].map((key) => `custom_attributes.${key}`).join();
    const { page, complaints } = await show('/today');
    for (const [path, own] of [
      ['contacts', 'email,phone,labels,created,updated'],
      ['deals', 'contact,email,status,stage,pipeline,owner,amount,created,won,lost,reason'],
      ['products', 'price'],
    ]) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(`${scene.service.url}/console/${path}?columns=${own},${keys}`);
      await settled(page);
      const row = page.locator('tbody tr').first();
      expect((await row.boundingBox())?.height).toBeLessThan(80);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme: 'light' });
        await expectAccessible(page);
        await expectWithin(page);
        const dialog = await openDialog(page);
        await dialog.getByRole('checkbox', { name: 'city' }).waitFor();
        await expectAccessible(page);
        await page.emulateMedia({ colorScheme: 'dark' });
        await expectAccessible(page, ['color-contrast']);
        expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(
          0,
        );
        await page.keyboard.press('Escape');
      }
    }
    expect(complaints).toEqual([]);
  });

  test.each([
    ['en', 'Actions', 'Columns', 'As usual', 'Move Stage up'],
    ['de', 'Aktionen', 'Spalten', 'Wie üblich', 'Phase nach oben'],
    ['es', 'Acciones', 'Columnas', 'Las habituales', 'Subir Etapa'],
    ['pt-BR', 'Ações', 'Colunas', 'As habituais', 'Subir Etapa'],
  ])('are told of in %s', async (language, actions, title, usual, up) => {
    await account.deal({ custom_attributes: { source: 'fair' } });
    const { page } = await show('/deals', { language });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('button', { name: actions, exact: true }).click();
    await page.getByRole('button', { name: title, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByRole('checkbox', { name: 'source' }).waitFor();
    await dialog.getByRole('button', { name: usual }).waitFor();
    await dialog.getByRole('button', { name: up }).waitFor();
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await expectWithin(page);
    await page.context().close();
  });
});
