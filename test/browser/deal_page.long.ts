/** What somebody who sells needs of a deal at a glance. */
import { expect, test } from '@jest/globals';
import { world } from '../kit/world.ts';
import { adminOf, expectAccessible, expectWithin, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('in the console', (scene) => {
  test('the contact of a deal is called and written to from its page', async () => {
    const account = await world(scene.service);
    const email = 'ana@example.com';
    const { id } = await account.contact({ full_name: 'Ana', email, phone: '+351912345678' });
    const deal = await account.deal({ name: 'Kitchen', contact_id: id });
    const { page } = await openAs(scene, (await adminOf(account)).email, `/deals/${deal.id}`);
    await settled(page);
    const addresses = await page
      .locator('.details a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(addresses).toEqual([
      `/console/contacts/${id}`,
      'mailto:ana%40example.com',
      'tel:+351912345678',
    ]);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await expectAccessible(page);
      await expectWithin(page);
    }
  });

  test('is saved while as many tabs are open as streams would fill all connections of a browser', async () => {
    const account = await world(scene.service);
    const deal = await account.deal({ name: 'Kitchen' });
    const path = `/deals/${deal.id}`;
    const { email } = await adminOf(account);
    const { page, complaints } = await openAs(scene, email, path);
    await settled(page);
    let last = page;
    for (const _ of [2, 3, 4]) {
      last = await page.context().newPage();
      await last.goto(`${scene.service.url}/console${path}`);
      await settled(last);
    }
    await last.getByRole('button', { name: 'Change Name' }).click();
    await last.keyboard.type('Bath');
    await last.keyboard.press('Enter');
    await last.getByText('Saved.').waitFor();
    await page.getByRole('heading', { name: 'Bath' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('the fields of a new person stand beneath the contact, before the deal is named', async () => {
    const account = await world(scene.service);
    await account.deal();
    const { page } = await openAs(scene, (await adminOf(account)).email, '/deals');
    await settled(page);
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New deal' });
    await dialog.getByRole('combobox', { name: 'Contact' }).fill('Grace');
    await dialog.getByRole('option', { name: 'Create “Grace”' }).click();
    const labels = await dialog.locator('label').allInnerTexts();
    expect(labels).toEqual([
      'Contact',
      'Name of the person',
      'E-mail',
      'Phone',
      'Name',
      'Stage',
      'Product',
    ]);
  });

  test('a usual name of a stage is whole at the head of one of five columns', async () => {
    const account = await world(scene.service);
    const [, second] = account.stageIds;
    await account.rest.put(`/stages/${second}`, { name: 'Negotiation' });
    for (const name of ['Contract', 'Closing']) {
      await account.rest.post('/stages', { pipeline_id: account.pipelineId, name });
    }
    const contact_id = (await account.contact()).id;
    const records = Array.from({ length: 20 }, () => ({
      name: 'Deal',
      stage_id: second,
      contact_id,
    }));
    await account.rest.post('/deals/batch', { operation: 'create', records });
    const { page } = await openAs(scene, (await adminOf(account)).email, '/board');
    await page.setViewportSize({ width: 1280, height: 800 });
    await settled(page);
    const heading = page.getByRole('heading', { name: 'Negotiation' });
    await heading.waitFor();
    expect(
      await heading.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
    ).toBe(0);
  });

  test('an admin of an account without deals is led to its place and its people', async () => {
    const account = await world(scene.service);
    const { page } = await openAs(scene, (await adminOf(account)).email, '/dashboard');
    await page.getByRole('heading', { name: 'No deals yet' }).waitFor();
    const steps = page.locator('.first-steps li');
    expect(await steps.allInnerTexts()).toEqual([
      'New deal',
      'Set country, time zone and currency',
      'Invite people',
    ]);
    await steps.getByRole('link', { name: 'Set country' }).click();
    await page.getByLabel('Country').selectOption('BR');
    await page.getByLabel('Time zone').selectOption('America/Recife');
    await page.getByLabel('Currency').selectOption('BRL');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'No deals yet' }).waitFor();
    expect(await steps.allInnerTexts()).toEqual(['New deal', 'Invite people']);
    await expectAccessible(page);
  });
});
