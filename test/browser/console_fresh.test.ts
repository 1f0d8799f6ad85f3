/** The console's settings show what is so, and send what somebody changed. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Person } from '../kit/person.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';
import { hasChromium, launch } from './chromium.ts';
import { adminOf, openAs, password } from './console.ts';

const suite = hasChromium() ? describe : describe.skip;

suite('the settings of the console', () => {
  let service: Service;
  let browser: Browser;

  beforeAll(async () => {
    service = await startService();
    browser = await launch();
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  const openAsAdmin = async (account: World, path: string) =>
    openAs(browser, service, (await adminOf(account)).email, path);

  async function save(page: Page): Promise<void> {
    const answered = page.waitForResponse(/\/graphql$/);
    await page.getByRole('button', { name: 'Save' }).click();
    await answered;
  }

  test('a page that is out of date gives back nothing that others took in the meantime', async () => {
    const account = await world(service);
    const { id } = await account.user({ role: 'admin', full_name: 'Nina' });
    const { page, complaints } = await openAsAdmin(account, `/users/${id}`);
    await page.getByLabel('Role').waitFor();
    await account.graphql.data(
      'mutation ($account_id: Integer!, $id: Integer!) { update_user(account_id: $account_id, id: $id, input: { role: "member" }) { id } }',
      { account_id: account.accountId, id },
    );
    await page.getByLabel('Name').fill('Nina New');
    await save(page);
    const { user } = await account.graphql.data<{ user: object }>(
      'query ($account_id: Integer!, $id: Integer!) { user(account_id: $account_id, id: $id) { full_name role } }',
      { account_id: account.accountId, id },
    );
    expect(user).toEqual({ full_name: 'Nina New', role: 'member' });

    await page.getByRole('link', { name: 'Account' }).last().click();
    await page.getByLabel('Name').waitFor();
    await account.rest.put('', { name: 'Renamed', time_zone: 'Asia/Tokyo' });
    await page.getByLabel('Country').selectOption('BR');
    await save(page);
    expect((await account.rest.get<object>('')).body).toMatchObject({
      name: 'Renamed',
      default_country: 'BR',
      time_zone: 'Asia/Tokyo',
    });
    await page.getByLabel('Country').selectOption('');
    await page.getByLabel('Name').fill('Again');
    await save(page);
    expect((await account.rest.get<object>('')).body).toMatchObject({
      name: 'Again',
      default_country: null,
    });
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 60_000);

  test('the audit log tells refused sign-ins and the command line apart, whatever requests are called', async () => {
    const account = await world(service);
    const { email } = await account.user();
    const stranger = new Person(service.client);
    const wrong = { email, password: 'wrong password' };
    await stranger.send('POST', '/session', wrong, { 'x-request-id': 'cli' });
    await service.database.query(
      `INSERT INTO audit_entries (account_id, action, record_type, record_id, request_id)
       VALUES ($1, 'account.create', 'account', $1, 'cli')`,
      [account.accountId],
    );
    const { page, complaints } = await openAsAdmin(account, '/audit');
    const doers = async (change: string) => {
      const entries = page.getByRole('group').filter({ hasText: change });
      await entries.first().waitFor();
      return entries.locator('.entry-person').allInnerTexts();
    };
    expect(await doers('Sign-in refused')).toEqual(['Nobody signed in']);
    expect(await doers('Account #')).toEqual(['Command line']);
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 60_000);

  test('a new password takes the places that it signed out from the list', async () => {
    const account = await world(service);
    const admin = await adminOf(account);
    await new Person(service.client).signIn(admin.email);
    const { page, complaints } = await openAs(browser, service, admin.email, '/profile');
    const places = page.getByRole('table', { name: 'Signed in' }).locator('tbody tr');
    await places.nth(1).waitFor();
    await page.getByLabel('Current password').fill(password);
    await page.getByLabel('New password').fill('another sentence');
    await page.getByLabel('The same again').fill('another sentence');
    await page.getByRole('button', { name: 'Change password' }).click();
    await places.nth(1).waitFor({ state: 'detached' });
    await places.first().waitFor();
    expect(await places.allInnerTexts()).toEqual([expect.stringContaining('this one')]);
    expect(await page.getByLabel('Current password').inputValue()).toBe('');
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 60_000);

  test('names of any length leave room for other columns and filters', async () => {
    const account = await world(service);
    const long = 'N'.repeat(200);
    const { email } = await account.user({ full_name: long });
    await service.database.query(
      'UPDATE api_tokens SET name = $1, user_id = (SELECT id FROM users WHERE email = $2) WHERE account_id = $3',
      [long, email, account.accountId],
    );
    const { page, complaints } = await openAsAdmin(account, '/tokens');
    for (const path of ['tokens', 'users']) {
      await page.goto(`${service.url}/console/${path}`);
      await page.getByText(long).first().waitFor();
      const name = page.getByRole('cell').filter({ hasText: long }).first();
      expect((await name.boundingBox())?.width).toBeLessThan(450);
    }
    await page.goto(`${service.url}/console/audit`);
    await page
      .getByLabel('Person')
      .locator('option', { hasText: long })
      .waitFor({ state: 'attached' });
    expect((await page.getByLabel('Person').boundingBox())?.width).toBeLessThan(300);
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 60_000);

  test('a link without its code says so, and one that is opened by somebody at work says who they are', async () => {
    const account = await world(service);
    const admin = await adminOf(account);
    const { page, complaints } = await openAs(browser, service, admin.email, '/welcome');
    await page.getByText('This link is not complete.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.goto(`${service.url}/console/welcome#a-code`);
    await page.getByText(`You are signed in as ${admin.email}.`).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 60_000);
});
