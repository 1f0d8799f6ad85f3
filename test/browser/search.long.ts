/** The one search in the header of the console. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type World, world } from '../kit/world.ts';
import type { Watched } from './chromium.ts';
import { adminOf, expectAccessible, expectWithin, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('the search of the console', (scene) => {
  let account: World;
  let opened: Watched;
  let page: Page;
  let contact: number;
  let deal: number;

  beforeAll(async () => {
    account = await world(scene.service);
    contact = (await account.contact({ full_name: 'João Gonçalves', email: 'jg@a.example' })).id;
    await account.contact({ full_name: 'João Gonçalves', email: 'other@b.example' });
    deal = (await account.deal({ contact_id: contact, name: 'Kitchen for João' })).id;
    await account.product({ name: 'Joinery', identifier: 'JOI-1' });
    opened = await openAs(scene, (await adminOf(account)).email, '/products');
    page = opened.page;
    await settled(page);
  });

  const options = () => page.getByRole('option');
  const search = () => page.getByRole('combobox', { name: /^Search/ });

  test('nothing that is typed right behind Ctrl+K is lost, whether its script is there or not', async () => {
    for (const waits of [true, false]) {
      let send = () => {};
      const sent = new Promise<void>((resolve) => {
        send = resolve;
      });
      if (waits) {
        await page.route('**/parts-*.js', async (route) => {
          await sent;
          await route.continue();
        });
        await page.reload();
        await settled(page);
      }
      await page.keyboard.press('Control+k');
      await page.keyboard.type('gon');
      send();
      if (waits) await page.getByRole('listbox').waitFor();
      await page.keyboard.type('cal');
      await page.getByRole('option', { name: /jg@a\.example/ }).waitFor();
      expect(await search().inputValue()).toBe('goncal');
      // The first empties the field.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await search().waitFor({ state: 'detached' });
    }
    await page.unroute('**/parts-*.js');
  });

  test('Enter behind what is typed leads to what that finds, however late the script or the answer comes', async () => {
    for (const late of ['**/parts-*.js', '**/graphql']) {
      await page.goto(`${scene.service.url}/console/products`);
      await settled(page);
      let send = () => {};
      const sent = new Promise<void>((resolve) => {
        send = resolve;
      });
      const isScript = late.endsWith('.js');
      const hold = () => page.route(late, (route) => sent.then(() => route.continue()));
      if (isScript) {
        await hold();
        await page.reload();
        await settled(page);
      }
      await page.keyboard.press('Control+k');
      if (!isScript) {
        await page.getByRole('listbox').waitFor();
        await hold();
      }
      await page.keyboard.type('kitchen');
      await page.keyboard.press('Enter');
      send();
      await page.waitForURL(`**/deals/${deal}`);
      await page.unroute(late);
    }
    await settled(page);
  });

  test('Ctrl+K, six keys and Enter lead to any record', async () => {
    await page.keyboard.press('Control+k');
    await search().pressSequentially('goncal');
    await page.getByRole('option', { name: /jg@a\.example/ }).waitFor();
    await expectAccessible(page);
    expect(await page.locator('mark').first().textContent()).toBe('Gonçal');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/contacts/${contact}`);
    await settled(page);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('/ opens it too, but not in a field', async () => {
    await page.keyboard.press('/');
    await search().pressSequentially('kitchen');
    await page.getByRole('option', { name: /Kitchen for João/ }).waitFor();
    expect(await search().inputValue()).toBe('kitchen');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/deals/${deal}`);
    await settled(page);
  });

  test('pages and actions are found by their names, and Escape closes it', async () => {
    await page.keyboard.press('Control+k');
    await search().fill('webhooks');
    await options().filter({ hasText: 'Webhooks' }).first().click();
    await page.waitForURL('**/webhooks');
    await settled(page);
    await page.keyboard.press('Control+k');
    await search().fill('new deal');
    await options().filter({ hasText: 'New deal' }).first().click();
    await page.getByRole('dialog', { name: 'New deal' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.keyboard.press('Control+k');
    await search().waitFor();
    await page.keyboard.press('Escape');
    await search().waitFor({ state: 'detached' });
  });

  test('an answer that another one has overtaken is never shown', async () => {
    await page.route('**/graphql', async (route) => {
      const isFirst = route.request().postData()?.includes('"q":"joi"');
      if (isFirst) await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await search().fill('joi');
    const slow = page.waitForResponse((answer) =>
      Boolean(answer.request().postData()?.includes('"q":"joi"')),
    );
    await page.waitForRequest((request) => Boolean(request.postData()?.includes('"q":"joi"')));
    await search().fill('kitchen');
    await page.getByRole('option', { name: /Kitchen for João/ }).waitFor();
    await slow;
    expect(await page.getByRole('option', { name: /Joinery/ }).count()).toBe(0);
    await page.unroute('**/graphql');
    await page.keyboard.press('Escape');
  });

  test('what is similar is said to be so', async () => {
    await page.keyboard.press('Control+k');
    await search().fill('gonzalvez');
    await page.getByText('Nothing has these words. Similar:').waitFor();
    await options().first().waitFor();
    await page.keyboard.press('Escape');
  });

  test.each([
    ['de', 'Suchen'],
    ['es', 'Buscar'],
    ['pt-BR', 'Buscar'],
    ['en', 'Search'],
  ])('in %s it is accessible, light and dark, wide and narrow', async (language, name) => {
    const { email } = await account.user({ language });
    const other = await openAs(scene, email, '/contacts');
    await settled(other.page);
    await other.page.getByRole('button', { name }).first().click();
    const field = other.page.getByRole('combobox', { name: new RegExp(`^${name}|suchen$`) });
    await field.fill('joao');
    await other.page.getByRole('option', { name: /jg@a\.example/ }).waitFor();
    await expectAccessible(other.page);
    if (process.env['SHOTS']) {
      await other.page.screenshot({ path: `${process.env['SHOTS']}/search-${language}-1280.png` });
    }
    await other.page.emulateMedia({ colorScheme: 'dark' });
    await other.page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(other.page, ['color-contrast']);
    await expectWithin(other.page);
    if (process.env['SHOTS']) {
      await other.page.screenshot({ path: `${process.env['SHOTS']}/search-${language}-390.png` });
      await other.page.keyboard.press('Escape');
      await other.page.screenshot({ path: `${process.env['SHOTS']}/list-${language}-390.png` });
    }
    expect(other.complaints).toEqual([]);
    await other.page.context().close();
  });

  test('a picker offers to create what was typed, together with the deal', async () => {
    await page.goto(`${scene.service.url}/console/deals`);
    await settled(page);
    await page.getByRole('button', { name: 'New deal' }).click();
    const picker = page.getByRole('combobox', { name: /^Contact/ });
    await picker.fill('new.person@c.example');
    await page.getByRole('option', { name: 'Create “new.person@c.example”' }).click();
    await page.waitForFunction(
      "[...document.querySelectorAll('input')].some(({ value }) => value === 'new.person@c.example')",
    );
    await page.getByLabel('Name', { exact: true }).fill('With somebody new');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'With somebody new' }).waitFor();
    const { body } = await account.rest.post<{ data: { email: string }[] }>('/contacts/search', {
      query: { email_eq: 'new.person@c.example' },
    });
    expect(body.data).toHaveLength(1);
    expect(opened.complaints).toEqual([]);
  });
});
