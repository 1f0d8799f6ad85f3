/** Who is in an account, and where in the world it is. */
import { beforeEach, expect, test } from '@jest/globals';
import { type World, world } from '../kit/world.ts';
import { open } from './chromium.ts';
import {
  adminOf,
  expectAccessible,
  expectWhole,
  openAs,
  password,
  settled,
  unexpected,
} from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('in the console, an account', (scene) => {
  let account: World;

  beforeEach(async () => {
    account = await world(scene.service);
  });

  const invite = (full_name: string) =>
    account.graphql.data(
      `mutation ($account_id: Integer!, $input: InvitationInput!) {
        invite_user(account_id: $account_id, input: $input) { user { id } }
      }`,
      {
        account_id: account.accountId,
        input: { email: `nina-${account.accountId}@example.com`, full_name },
      },
    );

  test('says who has not taken an invitation, gives the link again, and says so no more once it was taken', async () => {
    await invite('Nina New');
    const { page, complaints } = await openAs(scene, (await adminOf(account)).email, '/users');
    await settled(page);
    const row = page.locator('tr', { hasText: 'Nina New' });
    const pending = 'Invited, not signed in yet';
    await row.getByText(pending).waitFor();
    expect(await page.locator('tr', { hasText: 'Vera Boss' }).getByText(pending).count()).toBe(0);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expectAccessible(page);
      await expectWhole(page);
    }
    await page.getByRole('button', { name: 'New sign-in link: Nina New' }).click();
    const link = await page.getByRole('dialog').locator('code').innerText();
    await page.keyboard.press('Escape');
    await row.getByRole('link', { name: 'Nina New' }).click();
    await page.getByText(/^nina-.+ · Invited, not signed in yet$/).waitFor();
    const nina = await open(scene.browser, link);
    await nina.page.getByLabel('New password').fill(password);
    await nina.page.getByLabel('The same again').fill(password);
    await nina.page.getByRole('button', { name: 'Set password and sign in' }).click();
    await nina.page.locator('#main h1').waitFor();
    await page.goto(`${scene.service.url}/console/users`);
    await settled(page);
    await row.waitFor();
    expect(await row.getByText(pending).count()).toBe(0);
    expect(await row.getByRole('button').count()).toBe(0);
    expect([unexpected(complaints), unexpected(nina.complaints)]).toEqual([[], []]);
    await nina.page.context().close();
    await page.context().close();
  });

  test.each([
    ['en', 'Invited, not signed in yet'],
    ['de', 'Eingeladen, noch nicht angemeldet'],
    ['es', 'Con invitación, sin entrar todavía'],
    ['pt-BR', 'Com convite, ainda não entrou'],
  ])('says in %s who has not taken an invitation', async (language, pending) => {
    await invite('Nina New');
    const { email } = await account.user({ role: 'admin', language });
    const { page } = await openAs(scene, email, '/users');
    await page.locator('tr', { hasText: 'Nina New' }).getByText(pending).waitFor();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expectWhole(page);
    }
    await page.context().close();
  });

  test('that gets a country is proposed its time zone and currency, unless somebody chose them', async () => {
    const { email } = await adminOf(account);
    const { page, complaints } = await openAs(scene, email, '/account');
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'America/Recife' });
    await page.reload();
    await settled(page);
    const country = page.getByLabel('Country');
    const place = async () => [
      await page.getByLabel('Time zone').inputValue(),
      await page.getByLabel('Currency').inputValue(),
    ];
    expect(await place()).toEqual(['', '']);
    await country.selectOption('CH');
    expect(await place()).toEqual(['Europe/Zurich', 'CHF']);
    // It has several, and this browser is in none of them.
    await country.selectOption('US');
    expect(await place()).toEqual(['', 'USD']);
    await country.selectOption('KE');
    expect(await place()).toEqual(['Africa/Nairobi', '']);
    await country.selectOption('BR');
    expect(await place()).toEqual(['America/Recife', 'BRL']);
    await page.getByLabel('Currency').selectOption('EUR');
    await country.selectOption('CH');
    expect(await place()).toEqual(['Europe/Zurich', 'EUR']);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await settled(page);
    await country.selectOption('BR');
    expect(await place()).toEqual(['Europe/Zurich', 'EUR']);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
