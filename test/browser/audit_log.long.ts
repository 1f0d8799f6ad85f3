/** In the console, the audit log leads to the records that it tells of, and says what they held in words. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { world } from '../kit/world.ts';
import { adminOf, expectAccessible, expectWithin, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

/** The entry of a record, opened. */
async function opened(page: Page, change: string, record: string) {
  const summary = page.locator('summary').filter({ hasText: change }).filter({ hasText: record });
  const entry = page.getByRole('group').filter({ has: summary });
  await entry.locator('summary').click();
  return entry;
}

browserSuite('in the console, the audit log', (scene) => {
  test('leads to each record that is still there, by mouse and by keyboard', async () => {
    const account = await world(scene.service);
    const contact = await account.contact({ full_name: 'Ana Lima' });
    const deal = await account.deal({ contact_id: contact.id, name: 'Boats' });
    const product = await account.product({ name: 'Oar & more' });
    const user = await account.user({ full_name: 'Bo Berg' });
    const webhook = await account.webhook({ description: 'Shop' });
    await account.rest.put(`/stages/${account.stageIds[0]}`, { name: 'First' });
    await account.rest.put(`/pipelines/${account.pipelineId}`, { name: 'Sails' });
    await account.rest.put('', { name: 'Yard' });
    const gone = await account.product({ name: 'Leaflet' });
    await account.rest.delete(`/products/${gone.id}`);
    const { email } = await adminOf(account);
    const { page, complaints } = await openAs(scene, email, '/audit');
    await settled(page);
    const linkOf = async (change: string, record: string) => {
      const entry = await opened(page, change, record);
      const link = entry.locator('p:not(.entry-trace) a');
      return [await link.innerText(), await link.getAttribute('href')];
    };
    for (const [change, record, name, path] of [
      ['Created', `Contact Ana Lima #${contact.id}`, 'Ana Lima', `/contacts/${contact.id}`],
      ['Created', `Product Oar & more #`, 'Oar & more', '/products?text=Oar%20%26%20more'],
      ['Created', `User Bo Berg #${user.id}`, 'Bo Berg', `/users/${user.id}`],
      ['Created', `Webhook Shop #${webhook.id}`, 'Shop', `/webhooks/${webhook.id}`],
      ['Changed', 'Stage First #', 'First', '/pipelines'],
      ['Changed', 'Pipeline Sails #', 'Sails', '/pipelines'],
      ['Changed', 'Account', 'Yard', '/account'],
    ] as const) {
      expect(await linkOf(change, record)).toEqual([name, `/console${path}`]);
    }
    const removed = await opened(page, 'Deleted', `Product Leaflet #${gone.id}`);
    expect(await removed.getByRole('link').allInnerTexts()).toEqual(['Undo this request']);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await expectAccessible(page);
      await expectWithin(page);
    }
    const summary = page.locator('summary').filter({ hasText: `Deal Boats #${deal.id}` });
    await summary.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Boats');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${scene.service.url}/console/deals/${deal.id}`);
    await page.goto(`${scene.service.url}/console/products?text=Oar%20%26%20more`);
    await page.getByRole('cell', { name: product.name }).first().waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('calls what a record refers to by its name, after one request for all of a page', async () => {
    const account = await world(scene.service);
    const { id } = await account.contact({ full_name: 'Ana Lima' });
    const deal = await account.deal({ contact_id: id, name: 'Boats' });
    const product = await account.product({ name: 'Oar' });
    const line = await account.dealProduct({ deal_id: deal.id, product_id: product.id });
    await account.rest.delete(`/deals/${deal.id}`);
    const { email } = await adminOf(account);
    const { page, complaints } = await openAs(scene, email, '/dashboard');
    await settled(page);
    let requests = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('query RecordNames(')) requests += 1;
    });
    await page.goto(`${scene.service.url}/console/audit`);
    const valuesOf = async (change: string, record: string, fields: RegExp) => {
      const entry = await opened(page, change, record);
      return entry.getByRole('row', { name: fields }).allInnerTexts();
    };
    const [stage] = account.stageIds;
    const references = /^(Contact|Pipeline|Stage|Created by|Deal|Product) (?!of)/;
    await page.locator('a', { hasText: 'Ana Lima' }).first().waitFor({ state: 'attached' });
    expect(await valuesOf('Created', `Deal Boats #${deal.id}`, references)).toEqual([
      `Contact\t—\tAna Lima #${id}`,
      `Pipeline\t—\tSales #${account.pipelineId}`,
      `Stage\t—\tNew #${stage}`,
      `Created by\t—\tAda Admin #${account.admin.id}`,
    ]);
    // The deal is gone: of what was is known no more than the number.
    expect(await valuesOf('Created', `Product of a deal #${line.id}`, references)).toEqual([
      `Deal\t—\t#${deal.id}`,
      `Product\t—\tOar #${product.id}`,
    ]);
    expect(requests).toBe(1);
    await page.setViewportSize({ width: 390, height: 844 });
    const value = page.locator('td', { hasText: `Oar #${product.id}` }).last();
    const name = await value.getByRole('link').boundingBox();
    const number = await value.locator('.soft').boundingBox();
    expect(number?.y).toBeCloseTo(name?.y ?? 0, -1);
    await page.getByRole('link', { name: 'Oar' }).last().click();
    await page.waitForURL(`${scene.service.url}/console/products?text=Oar`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('says kinds of events, statuses, roles and languages in the words of four languages', async () => {
    const account = await world(scene.service);
    const deal = await account.deal();
    await account.rest.put(`/deals/${deal.id}`, { stage_id: account.stageIds[1] });
    await account.rest.put(`/deals/${deal.id}`, { status: 'won' });
    await account.user({ full_name: 'Bo Berg', language: 'de' });
    const admin = await adminOf(account);
    const { page, complaints } = await openAs(scene, admin.email, '/audit');
    const valuesOf = async (type: string, fields: RegExp) => {
      await page.goto(`${scene.service.url}/console/audit?type=${type}&from=&to=`);
      await settled(page);
      for (const summary of await page.locator('summary').all()) await summary.click();
      return page.getByRole('row', { name: fields }).allInnerTexts();
    };
    const said: Readonly<Record<string, readonly string[][]>> = {
      en: [
        ['Kind\t—\tWon', 'Kind\t—\tMoved from New to Talks', 'Kind\t—\tOpened in New'],
        ['Status\tOpen\tWon', 'Status\t—\tOpen'],
        ['Role\t—\tAdmin', 'Role\t—\tMember', 'Language\t—\tDeutsch'],
      ],
      de: [
        ['Art\t—\tGewonnen', 'Art\t—\tVerschoben von New nach Talks', 'Art\t—\tEröffnet in New'],
        ['Status\tOffen\tGewonnen', 'Status\t—\tOffen'],
        ['Rolle\t—\tAdmin', 'Rolle\t—\tMitglied', 'Sprache\t—\tDeutsch'],
      ],
      es: [
        ['Tipo\t—\tGanado', 'Tipo\t—\tMovido de New a Talks', 'Tipo\t—\tAbierto en New'],
        ['Estado\tAbierto\tGanado', 'Estado\t—\tAbierto'],
        ['Rol\t—\tAdministrador', 'Rol\t—\tMiembro', 'Idioma\t—\tDeutsch'],
      ],
      'pt-BR': [
        ['Tipo\t—\tGanho', 'Tipo\t—\tMovido de New para Talks', 'Tipo\t—\tAberto em New'],
        ['Situação\tAberto\tGanho', 'Situação\t—\tAberto'],
        ['Papel\t—\tAdministrador', 'Papel\t—\tMembro', 'Idioma\t—\tDeutsch'],
      ],
    };
    for (const [language, values] of Object.entries(said)) {
      await scene.service.database.query('UPDATE users SET language = $1 WHERE id = $2', [
        language,
        admin.id,
      ]);
      expect([
        await valuesOf('event', /^(Kind|Art|Tipo) /),
        await valuesOf('deal', /^(Status|Estado|Situação) /),
        await valuesOf('user', /^(Role|Rolle|Rol|Papel) |Deutsch/),
      ]).toEqual(values);
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
