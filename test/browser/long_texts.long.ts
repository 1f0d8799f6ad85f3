/** However long what people write is, pages keep their width and rows their height. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type World, world } from '../kit/world.ts';
import { adminOf, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

const address = `https://example.com/${'a'.repeat(200)}`;

browserSuite('in the console, with long texts', (scene) => {
  let account: World;
  let email: string;
  let contactPage: string;

  beforeAll(async () => {
    account = await world(scene.service);
    email = (await adminOf(account)).email;
    await account.rest.put('', { currency: 'BRL' });
    const contact = await account.contact({
      full_name: 'W'.repeat(90),
      email: `${'e'.repeat(60)}@example.com`,
      phone: '+5541988434869',
      label_list: Array.from({ length: 43 }, (_, at) => `label ${at}`),
    });
    const product = await account.product({ name: address, amount_in_cents: 12_345_678_900 });
    const deal = await account.deal({ name: address, contact_id: contact.id });
    await account.dealProduct({ deal_id: deal.id, product_id: product.id, quantity: 3 });
    for (const fields of [
      { kind: 'activity', title: address, scheduled_at: '2026-12-01T10:00:00Z' },
      { kind: 'note', content: `${address} ${address}` },
    ]) {
      expect(await account.rest.post(`/deals/${deal.id}/events`, fields)).toAnswer(201);
    }
    contactPage = `/contacts/${contact.id}`;
  });

  async function show(path: string, width: number): Promise<Page> {
    const { page } = await openAs(scene, email, path);
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    return page;
  }

  test('a row has two lines at most, with all of a phone and three labels', async () => {
    const page = await show('/contacts', 1280);
    const row = page.locator('tbody tr');
    expect((await row.boundingBox())?.height).toBeLessThan(70);
    const phone = row.locator('td.short', { hasText: '+5541988434869' });
    expect((await phone.boundingBox())?.height).toBeLessThan(70);
    expect(await row.locator('.labels .badge').allInnerTexts()).toEqual([
      ...['label 0', 'label 1', 'label 2'],
    ]);
    await row.getByText('+40').waitFor();
    await page.context().close();
  });

  test.each(['/contacts', '/deals'])('%s has a name on the line of its dot', async (path) => {
    const page = await show(path, 1280);
    const cell = page.locator('tbody td', { has: page.locator('.dot') });
    const dot = await cell.locator('.dot').boundingBox();
    const [first] = await cell
      .locator('a')
      .evaluate((link) => [...link.getClientRects()].map(({ top, bottom }) => ({ top, bottom })));
    expect(first?.top).toBeLessThan(dot?.y ?? 0);
    expect(first?.bottom).toBeGreaterThan(dot?.y ?? 0);
    await page.context().close();
  });

  test('a large amount is shortened where it stands alone, with the whole beside it', async () => {
    const page = await show('/dashboard', 390);
    const open = page.locator('.tiles .card', { hasText: 'Open' }).first();
    await open.getByText('R$370.4M').waitFor();
    await open.getByTitle('R$370,370,367.00').waitFor();
    await page.goto(`${scene.service.url}/console/board`);
    const amount = page.locator('.deal-card .amount');
    await amount.waitFor();
    expect(await amount.innerText()).toBe('R$370.4M');
    expect(await amount.getAttribute('title')).toBe('R$370,370,367.00');
    await page.context().close();
  });

  test('a page is called what its record is', async () => {
    const page = await show(contactPage, 1280);
    expect(await page.title()).toBe(`${'W'.repeat(90)} · Account`);
    await page.context().close();
  });
});
