/** Notifications in a real browser: its service worker shows what a push service would hand it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { until } from '../kit/wait.ts';
import { world } from '../kit/world.ts';
import { launch } from './chromium.ts';
import { adminOf, expectAccessible, expectWithin, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('in the console', (scene) => {
  /** A worker is fetched by the browser itself, which asks more of a certificate than its pages. */
  let trusting: Browser;

  beforeAll(async () => {
    trusting = await launch('--ignore-certificate-errors');
  });

  afterAll(() => trusting.close());

  test('what falls due is shown, and leads to its record', async () => {
    const account = await world(scene.service);
    const admin = await adminOf(account);
    const deal = await account.deal({ name: 'Two hundred chairs' });
    const { page } = await openAs(
      { service: scene.service, browser: trusting },
      admin.email,
      '/profile',
    );
    await settled(page);
    const context = page.context();
    await context.grantPermissions(['notifications'], { origin: scene.service.url });
    const cdp = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [found] = registrations;
        if (found) resolve(found.registrationId);
      });
    });
    await cdp.send('ServiceWorker.enable');
    // It goes no further than to the push service of the browser's maker.
    await page.getByRole('button', { name: 'Notify me in this browser' }).click();
    const active = () =>
      page.evaluate(`navigator.serviceWorker.getRegistration('/console/push.js')
        .then((registration) => registration?.active?.state)`);
    expect(await until(active, (state) => state === 'activated', 10_000)).toBe('activated');
    const registrationId = await registered;
    // Headless Chromium forgets a note that it is handed before what displays notes is up.
    const shown = async () => {
      await cdp.send('ServiceWorker.deliverPushMessage', {
        origin: scene.service.url,
        registrationId,
        data: JSON.stringify({ title: 'Call Ana', url: `/console/deals/${deal.id}` }),
      });
      return page.evaluate(`navigator.serviceWorker.getRegistration('/console/push.js')
        .then((registration) => registration.getNotifications())
        .then((shown) => shown.map(({ title, data }) => ({ title, data })))`);
    };
    const found = await until(shown, (all) => Array.isArray(all) && all.length > 0, 30_000);
    expect(found).toEqual([{ title: 'Call Ana', data: `/console/deals/${deal.id}` }]);
  });

  test('a person is told how to be notified', async () => {
    const account = await world(scene.service);
    const admin = await adminOf(account);
    const { page } = await openAs(scene, admin.email, '/profile');
    await settled(page);
    await page.getByText('Choose above that you are notified').waitFor();
    await page.getByLabel('Notify of activities that fall due').check();
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Choose above that you are notified').waitFor({ state: 'detached' });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expectWithin(page);
    }
    await expectAccessible(page);
  });

  test('a certificate that the browser does not trust is said to be the reason', async () => {
    const { email } = await adminOf(await world(scene.service));
    const { page } = await openAs(scene, email, '/profile');
    await settled(page);
    await page.context().grantPermissions(['notifications'], { origin: scene.service.url });
    await page.getByRole('button', { name: 'Notify me in this browser' }).click();
    await page.getByText('This browser does not trust the certificate').waitFor();
    expect(await page.locator('.toast').count()).toBe(0);
    await expectAccessible(page);
  });
});
