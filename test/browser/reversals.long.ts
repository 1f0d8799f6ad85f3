/** In the console, what was deleted comes back, and contacts that are one person become one. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { type World, world } from '../kit/world.ts';
import { adminOf, expectAccessible, expectWithin, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('in the console, nothing is final:', (scene) => {
  let account: World;

  beforeEach(async () => {
    account = await world(scene.service);
  });

  const show = async (path: string) => openAs(scene, (await adminOf(account)).email, path);
  const statusOf = async (path: string) => (await account.rest.get(path)).status;

  test('a contact that was deleted comes back by the button beside what was done', async () => {
    const { id } = await account.contact({ full_name: 'Ana Lima' });
    const deal = await account.deal({ contact_id: id });
    const { page, complaints } = await show(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Delete' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Ana Lima was deleted.').waitFor();
    expect(await statusOf(`/contacts/${id}`)).toBe(404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    await page.getByRole('heading', { name: 'Ana Lima' }).waitFor();
    expect([await statusOf(`/contacts/${id}`), await statusOf(`/deals/${deal.id}`)]).toEqual([
      200, 200,
    ]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('the page of what was deleted says what, when and who, and restores it', async () => {
    const { id } = await account.product({ name: 'Standing desk' });
    await account.rest.delete(`/products/${id}`);
    const { page, complaints } = await show('/deleted?type=product');
    await settled(page);
    const row = page.getByRole('row', { name: 'Standing desk' });
    await row.getByRole('button', { name: 'Restore: Standing desk' }).click();
    await page.getByText('Standing desk is back.').waitFor();
    await page.getByText('Nothing is deleted').waitFor();
    expect(await statusOf(`/products/${id}`)).toBe(200);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('what stands in the way of a restoration is said, and the record stays listed', async () => {
    const { id } = await account.contact({ full_name: 'Ana', email: 'ana@firm.example' });
    await account.rest.delete(`/contacts/${id}`);
    await account.contact({ full_name: 'Bo', email: 'ana@firm.example' });
    const { page } = await show('/deleted');
    await settled(page);
    await page.getByRole('button', { name: 'Restore: Ana' }).click();
    await page.locator('.toast.bad').waitFor();
    expect(await page.getByRole('button', { name: 'Restore: Ana' }).count()).toBe(1);
    await page.context().close();
  });

  test('what an undo would bring back is named, and shown in words', async () => {
    const contact = await account.contact({ full_name: 'Ana Lima' });
    const deal = await account.deal({ contact_id: contact.id });
    const by = { 'x-request-id': 'mistake' };
    const [first, second] = account.stageIds;
    await account.rest.put(`/deals/${deal.id}`, { status: 'lost', stage_id: second }, by);
    const { id } = await account.product({ name: 'Standing desk' });
    await account.rest.delete(`/products/${id}`, by);
    const { page, complaints } = await show('/audit/undo?request=mistake');
    await page.getByRole('button', { name: 'See what would happen' }).click();
    const opened = async (record: string) => {
      const change = page.getByRole('group').filter({ hasText: record });
      await change.locator('summary').click();
      return change;
    };
    const cellsIn = async (change: Locator, field: RegExp) =>
      change.getByRole('row', { name: field }).getByRole('cell').allInnerTexts();
    await page.locator('a', { hasText: 'Talks' }).waitFor({ state: 'attached' });
    const lost = await opened(`#${deal.id}`);
    expect(await cellsIn(lost, /^Status/)).toEqual(['Lost', 'Open']);
    expect(await cellsIn(lost, /^Stage/)).toEqual([`Talks #${second}`, `New #${first}`]);
    const links = await lost
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links).toEqual([
      `/console/deals/${deal.id}`,
      '/console/pipelines',
      '/console/pipelines',
    ]);
    expect(await cellsIn(await opened('Product Standing desk'), /^Last changed/)).toEqual([
      '—',
      expect.stringMatching(/^\w{3} \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M$/),
    ]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('duplicates stand side by side; what is chosen of each stays, and the merge can be undone', async () => {
    const one = await account.contact({
      ...{ full_name: 'Ana Lima', email: 'ana.lima@firm.example', label_list: ['vip'] },
      custom_attributes: { city: 'Lisboa' },
    });
    const other = await account.contact({
      ...{ full_name: 'Ana Maria Lima', email: 'ana.lima+1@firm.example', phone: '+5511987654321' },
    });
    const { page, complaints } = await show('/contacts');
    await page.getByRole('link', { name: 'Duplicates' }).click();
    await page.getByRole('heading', { name: 'Duplicates', exact: true }).waitFor();
    await page.getByText('Same mailbox').waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    await expectWithin(page);
    const frame = page.locator('.duplicates .table-frame');
    expect(await frame.evaluate((of) => of.scrollWidth - of.clientWidth)).toBe(0);
    if (process.env.SCREENSHOTS) {
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/duplicates_390.png` });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/duplicates_1280.png` });
    }
    const name = page.getByLabel(`Name: Ana Maria Lima (${other.id})`);
    await name.focus();
    await page.keyboard.press('Space');
    expect(await name.isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('2 contacts are now Ana Maria Lima.').waitFor();
    await page.getByText('No duplicates found').waitFor();
    expect((await account.rest.get(`/contacts/${one.id}`)).body).toMatchObject({
      ...{ full_name: 'Ana Maria Lima', email: one.email, phone: '+5511987654321' },
      ...{ label_list: ['vip'], custom_attributes: { city: 'Lisboa' } },
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Same mailbox').waitFor();
    expect((await account.rest.get(`/contacts/${other.id}`)).body).toMatchObject({
      full_name: 'Ana Maria Lima',
      phone: '+5511987654321',
    });
    expect((await account.rest.get(`/contacts/${one.id}`)).body).toMatchObject({
      full_name: 'Ana Lima',
    });
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
