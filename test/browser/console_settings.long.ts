/** What an admin does in the console. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type World, world } from '../kit/world.ts';
import { open } from './chromium.ts';
import {
  adminOf,
  expectAccessible,
  expectWithin,
  openAs,
  password,
  settled,
  unexpected,
} from './console.ts';
import { browserSuite } from './suite.ts';

interface Pipeline {
  readonly name: string;
  readonly stages: readonly { readonly name: string }[];
}

browserSuite('in the console', (scene) => {
  async function signIn(account: World, path: string) {
    const admin = await adminOf(account);
    return { admin, ...(await openAs(scene, admin.email, path)) };
  }

  /** Runs a curl command that a page shows. */
  function run(command: string) {
    const path = / https:\/\/[^/]+(\S+) \\/.exec(command)?.[1] ?? '';
    const headers = [...command.matchAll(/-H '([^:]+): ([^']+)'/g)];
    return scene.service.client.send<{ data: object[] }>({
      method: /-X (\w+)/.exec(command)?.[1] ?? 'GET',
      path,
      headers: Object.fromEntries(headers.map(([, name, value]) => [name, value])),
      body: /-d '([^']+)'/.exec(command)?.[1] ?? '',
    });
  }

  async function setPassword(page: Page): Promise<void> {
    await page.getByLabel('New password').fill(password);
    await page.getByLabel('The same again').fill(password);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.locator('#main h1').waitFor();
  }

  test('a newcomer comes from a link to a token that works', async () => {
    const account = await world(scene.service);
    await account.contact({ full_name: 'Zoë First' });
    const { create_sign_in_link } = await account.graphql.data<{
      create_sign_in_link: { url: string };
    }>(
      'mutation ($account_id: Integer!, $user_id: Integer!) { create_sign_in_link(account_id: $account_id, user_id: $user_id) { url } }',
      { account_id: account.accountId, user_id: account.admin.id },
    );
    const { page, complaints } = await open(scene.browser, create_sign_in_link.url);
    await page.getByLabel('New password').waitFor();
    // The code is not left in the address for people who look on.
    expect(page.url()).toBe(`${scene.service.url}/console/welcome`);
    await setPassword(page);
    await page.getByText(`You are signed in as ${account.admin.email}.`).waitFor();
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('Website forms');
    await page.getByLabel('Chosen rights').check();
    await page.getByLabel('contacts: Read and change').check();
    await page.getByRole('button', { name: 'Create token' }).click();
    const command = await page
      .locator('figure', { hasText: 'Try it in a terminal' })
      .locator('code')
      .innerText();
    const answer = await run(command);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual([expect.objectContaining({ full_name: 'Zoë First' })]);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to the tokens' }).click();
    const row = page.getByRole('row', { name: /Website forms/ });
    expect(await row.innerText()).toContain('Change contacts');
    await row.getByRole('button', { name: 'Revoke Website forms' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
    await row.getByText('Revoked').waitFor();
    expect((await run(command)).status).toBe(401);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a wrong password is told in words, and the page that was asked for comes after the right one', async () => {
    const account = await world(scene.service);
    const { email } = await account.user();
    const { page, complaints } = await open(
      scene.browser,
      `${scene.service.url}/console/pipelines?a=1`,
    );
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toBe('E-mail or password is wrong.');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Pipelines' }).waitFor();
    expect(page.url()).toBe(`${scene.service.url}/console/pipelines?a=1`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(unexpected(complaints)).toEqual([]);
    await page.context().close();
  });

  test('signing in leads to no other site, whatever the address asks for', async () => {
    const account = await world(scene.service);
    const { page, complaints } = await signIn(account, '/account');
    for (const next of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '~//evil.example',
    ]) {
      await page.goto(`${scene.service.url}/console/sign-in?next=${encodeURIComponent(next)}`);
      await page.locator('#main h1').waitFor();
      expect(new URL(page.url()).origin).toBe(scene.service.url);
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('somebody is invited, signs in, and leaves with their deals handed over', async () => {
    const account = await world(scene.service);
    const { admin, page, complaints } = await signIn(account, '/users');
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.getByText('Must not be empty.').waitFor();
    const email = `nina-${account.accountId}@example.com`;
    await dialog.getByLabel('E-mail').fill(email);
    await dialog.getByLabel('Name').fill('Nina New');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = await dialog.locator('code').innerText();
    await dialog.getByRole('button', { name: 'Close' }).click();

    const nina = await open(scene.browser, link);
    await setPassword(nina.page);
    const { data } = (
      await account.rest.post<{ data: { id: number }[] }>('/users/search', {
        query: { email_eq: email },
      })
    ).body;
    const id = data[0]?.id ?? 0;
    const deal = await account.deal();
    await account.rest.post('/deal_assignees', { deal_id: deal.id, user_id: id });

    await page.getByRole('link', { name: 'Nina New' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByLabel('Hand deals over to').selectOption({ label: 'Vera Boss' });
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Nina New was removed.').waitFor();
    const { deal_assignees } = await account.fetchDeal(deal.id);
    // Who created it is assigned from the beginning.
    const heirs = [account.admin.id, admin.id];
    expect(deal_assignees.map(({ user_id }) => user_id)).toEqual(heirs);
    // Who was removed is out, and a page that watches knows without being touched.
    await nina.page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    expect([unexpected(complaints), unexpected(nina.complaints)]).toEqual([[], []]);
    await nina.page.context().close();
    await page.context().close();
  });

  test('stages are put in order by mouse and by keyboard, and put back', async () => {
    const account = await world(scene.service);
    const { page, complaints } = await signIn(account, '/pipelines');
    await page.getByRole('button', { name: 'New pipeline' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Resellers');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const pipeline = page.getByRole('region', { name: 'Resellers' });
    for (const name of ['One', 'Two', 'Three']) {
      await pipeline.getByRole('button', { name: 'Add stage' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await pipeline.getByText(name, { exact: true }).waitFor();
    }
    const stages = async () => {
      const { body } = await account.rest.get<{ data: Pipeline[] }>('/pipelines');
      const made = body.data.find(({ name }) => name === 'Resellers');
      return made?.stages.map(({ name }) => name);
    };
    const handle = (name: string) => pipeline.getByRole('button', { name: `Move ${name}` });

    await handle('One').focus();
    await page.keyboard.press('ArrowDown');
    await page.getByText('One is now number 2.').waitFor();
    expect(await stages()).toEqual(['Two', 'One', 'Three']);
    // The handle keeps the focus, so that the next key moves it on.
    await page.keyboard.press('ArrowDown');
    await page.getByText('One is now number 3.').waitFor();
    expect(await stages()).toEqual(['Two', 'Three', 'One']);

    const last = pipeline.getByRole('listitem').last();
    await handle('Two').dragTo(last, { targetPosition: { x: 60, y: 30 } });
    await page.getByText('Two is now number 3.').waitFor();
    expect(await stages()).toEqual(['Three', 'One', 'Two']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await stages()).toEqual(['Two', 'Three', 'One']);

    await pipeline.getByRole('button', { name: 'Delete Three' }).click();
    await page.getByText('Three was deleted.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await stages()).toEqual(['Two', 'Three', 'One']);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('an audit entry is found, with what was there before, under an address to pass on', async () => {
    const account = await world(scene.service);
    const contact = await account.contact({ full_name: 'Before' });
    await account.rest.put(`/contacts/${contact.id}`, { full_name: 'After' });
    const other = await account.contact();
    await account.rest.put(`/contacts/${other.id}`, { full_name: 'Another' });
    const { page, complaints } = await signIn(account, '/audit');
    await page.getByLabel('Kind of record').selectOption('Contact');
    await page.getByLabel('Change').selectOption('Changed');
    await page.getByLabel('Record number').fill(String(contact.id));
    const found = `/console/audit?action=.update&type=contact&record=${contact.id}`;
    await page.waitForURL(`${scene.service.url}${found}`);
    await page.reload();
    await settled(page);
    await page.getByRole('group').first().click();
    const cells = page.getByRole('row', { name: /^Name/ }).getByRole('cell');
    expect(await cells.allInnerTexts()).toEqual(['Before', 'After']);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('what an import did is looked at, taken back, and found in the audit log', async () => {
    const account = await world(scene.service);
    const member = account.restAs(account.member.token);
    const known = await member.post<{ id: number }>('/contacts', { full_name: 'Ana', phone: '' });
    const path = `/contacts/${known.body.id}`;
    const by = { 'x-request-id': 'import-7' };
    await account.rest.put(path, { full_name: 'Wrong', phone: '+14155550123' }, by);
    await account.rest.post('/products', { name: 'Wrong' }, by);
    await member.put(path, { phone: '+14155550199' });
    const { page, complaints } = await signIn(account, '/audit?type=product');
    await page.getByRole('group').first().click();
    await page.getByRole('link', { name: 'Undo this request' }).click();
    await page.waitForURL(`${scene.service.url}/console/audit/undo?request=import-7`);
    await page.getByRole('button', { name: 'See what would happen' }).click();
    await page.getByText('2 records would be put back or go, 1 would stay').waitFor();
    await page.getByText('Somebody else has changed it since.').waitFor();
    await page.getByRole('group').filter({ hasText: 'Contact' }).click();
    const name = page.getByRole('row', { name: /^Name/ }).getByRole('cell');
    expect(await name.allInnerTexts()).toEqual(['Wrong', 'Ana']);
    expect(await account.count('products')).toBe(1);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await expectAccessible(page);
      await expectWithin(page);
    }
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('2 records are as they were.').waitFor();
    expect(await account.count('products')).toBe(0);
    await page.getByRole('link', { name: 'See it in the audit log.' }).click();
    await settled(page);
    expect(await page.locator('.entries > li').count()).toBe(2);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('nothing that was typed is lost when the network goes away, or the session ends', async () => {
    const account = await world(scene.service);
    const { admin, page, complaints } = await signIn(account, '/account');
    await page.getByLabel('Name').fill('Renamed');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('There is no connection.');
    await page.context().clearCookies();
    // Back on the network the page asks anew for what it shows, and nobody is signed in any more.
    await page.context().setOffline(false);
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('E-mail').fill(admin.email);
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await account.rest.get<{ name: string }>('')).body.name).toBe('Renamed');
    expect(unexpected(complaints)).toEqual([]);
    await page.context().close();
  });

  test('what integrations wrote is shown as text', async () => {
    const account = await world(scene.service);
    const name = '<img src=x onerror=alert(1)>';
    const job = '"><script>alert(1)</script>';
    await account.user({ full_name: name, job_description: job });
    await account.rest.put('', { name: '<svg/onload=alert(1)>' });
    const { page, complaints } = await signIn(account, '/users');
    await page.getByRole('link', { name: '<svg/onload=alert(1)>' }).waitFor();
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { name }).waitFor();
    expect(await page.getByLabel('Job').inputValue()).toBe(job);
    await page.goto(`${scene.service.url}/console/audit?type=user`);
    await page.getByRole('group').nth(1).click();
    await page.getByRole('cell', { name: job }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
