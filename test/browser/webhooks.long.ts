import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { patienceMs } from './chromium.ts';
import { adminOf, expectAccessible, expectWithin, openAs } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('webhooks, in a browser', (scene) => {
  let account: World;
  let works: Receiver;
  let fails: Receiver;

  beforeAll(async () => {
    account = await world(scene.service);
    works = await startReceiver();
    fails = await startReceiver((response) => {
      response.statusCode = 500;
      response.end('{"sorry": true}');
    });
  });

  afterAll(async () => {
    await Promise.all([works.close(), fails.close()]);
  });

  const show = async (path: string) => openAs(scene, (await adminOf(account)).email, path);

  const expectFit = async (page: Page) => {
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectWithin(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  };

  const allAttempted = (id: number, count: number) =>
    until(
      async () =>
        (
          await account.rest.post<{ data: { attempts: number }[] }>(
            `/webhooks/${id}/deliveries/search`,
            {},
          )
        ).body.data,
      (all) => all.length === count && all.every(({ attempts }) => attempts > 0),
      patienceMs,
    );

  test('one is made, shows its secret once, and is tested with what came back', async () => {
    const { page, complaints } = await show('/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    await page.getByLabel('Address').fill('https://10.0.0.1/');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('Must not lead to an address that is not public.').waitFor();
    await page.getByText('Must not be empty.').waitFor();
    await page.getByLabel('Address').fill(works.url);
    await page.getByLabel('Contact: all').check();
    await page.getByLabel('Deal: changed', { exact: true }).check();
    await expectFit(page);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const secret = await page.locator('.copy code').innerText();
    expect(secret).toMatch(/^whsec_/);

    await page.getByRole('link', { name: 'To the webhook' }).click();
    await page.getByText('Contact, Deal (changed)').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.locator('.badge', { hasText: 'Delivered' }).waitFor();
    await page.locator('.deliveries summary').click();
    await page
      .locator('.sent', { hasText: 'Request' })
      .getByText('"record_type": "webhook"')
      .waitFor();
    await page.locator('.sent', { hasText: 'Answer' }).getByText('ok').waitFor();
    await expectFit(page);
    const [received] = works.received;
    if (!received) throw new Error('nothing was received');
    const { headers, body } = received;
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );

    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog', { name: 'The new secret' }).waitFor();
    expect(await page.locator('.copy code').innerText()).not.toBe(secret);
    expect(complaints.filter((text) => !/status of 422/.test(text))).toEqual([]);
  });

  test('however many changes a kind of record has, none stands beneath its name', async () => {
    const { email } = await account.user({ role: 'admin', language: 'de' });
    const { page } = await openAs(scene, email, '/webhooks/new');
    await page.setViewportSize({ width: 1280, height: 900 });
    const row = page.getByRole('group', { name: 'Pipeline' });
    await row.waitFor();
    const lefts = await row
      .getByRole('checkbox')
      .evaluateAll((boxes) => boxes.map((box) => box.getBoundingClientRect().left));
    expect(lefts).toHaveLength(5);
    const legend = await row.locator('legend').boundingBox();
    expect(Math.min(...lefts)).toBeGreaterThanOrEqual((legend?.x ?? 0) + (legend?.width ?? 0));
    await page.context().close();
  });

  test('those that fail come first; one is switched off and on, sent again, and handed over', async () => {
    const leaver = await account.user({ role: 'admin', full_name: 'Lea Leaver' });
    const make = async (url: string, description: string) => {
      const input = { url, description, events: ['product.*'], user_id: leaver.id };
      return (await account.rest.post<{ id: number }>('/webhooks', input)).body.id;
    };
    const failing = await make(`${fails.url}${'x'.repeat(80)}`, 'The one that fails');
    await make(works.url, 'The one that works');
    const { page } = await show(`/webhooks/${failing}`);
    await page.getByText('No deliveries').waitFor();
    await account.product({ name: 'Told' });
    // What others write on the server may hold it up.
    await until(
      async () => fails.received.length,
      (sent) => sent > 0,
      patienceMs,
    );
    expect(await account.rest.delete(`/users/${leaver.id}`)).toAnswer(204);
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      // It has failed by the time at which the page looks what came of it.
      if (route.request().postData()?.includes('test_webhook')) await allAttempted(failing, 2);
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.locator('.notice.bad').waitFor();
    const delivery = page.locator('.deliveries summary', { hasText: 'product.create' });
    await delivery.getByText('To be tried again').waitFor();
    await delivery.click();
    await page.locator('[open] .sent', { hasText: 'Answer' }).getByText('sorry').waitFor();

    await page.getByRole('button', { name: 'Send a period again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText(/^Sent again: \d/).waitFor();

    await page.getByRole('button', { name: 'Hand over' }).click();
    await page.getByLabel('Person').selectOption({ label: 'Vera Boss' });
    await expectFit(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Has left').waitFor({ state: 'detached' });
    await page.locator('.details').getByText('Vera Boss').waitFor();

    await page.getByRole('link', { name: 'Webhooks' }).click();
    const rows = page.locator('tbody tr');
    await rows.first().getByText('Failing since').waitFor();
    expect(await rows.first().innerText()).toContain('The one that fails');
    await expectFit(page);
    await page.getByRole('link', { name: fails.url }).click();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.locator('.badge', { hasText: 'Switched off' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The one that works').waitFor();
    expect(await page.getByText('The one that fails').count()).toBe(0);
  });
});
