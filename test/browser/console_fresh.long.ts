/** The console's settings show what is so, and send what somebody changed. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Person } from '../kit/person.ts';
import { type World, world } from '../kit/world.ts';
import { adminOf, openAs, password, unexpected } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('the settings of the console', (scene) => {
  const openAsAdmin = async (account: World, path: string) =>
    openAs(scene, (await adminOf(account)).email, path);

  async function save(page: Page): Promise<void> {
    const answered = page.waitForResponse(/\/graphql$/);
    await page.getByRole('button', { name: 'Save' }).click();
    await answered;
  }

  test('what others changed meanwhile is not overwritten: the form says so, and keeps what was typed', async () => {
    const account = await world(scene.service);
    const { id, email } = await account.user({
      role: 'admin',
      full_name: 'Nina',
      job_description: 'Sales',
    });
    const path = `/users/${id}`;
    const stored = async () => (await account.rest.get<object>(path)).body;
    const { page, complaints } = await openAsAdmin(account, path);
    await page.getByLabel('Name').fill('Nina New');
    await page.getByLabel('E-mail').fill('Nina.New@Example.com');
    await account.rest.put(path, { role: 'member', job_description: 'Support', full_name: 'N.' });
    await save(page);
    await page.getByText('Somebody has changed this meanwhile.').waitFor();
    expect(await stored()).toMatchObject({ full_name: 'N.', email });

    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Job').inputValue()).toBe('Support');
    expect(await page.getByLabel('Role').inputValue()).toBe('member');
    expect(await page.getByLabel('Name').inputValue()).toBe('Nina New');
    const theirs = page.getByText('Somebody else has made it');
    expect(await theirs.allInnerTexts()).toEqual([
      'Somebody else has made it “N.” meanwhile. Saving replaces that.',
    ]);
    await save(page);
    await page.getByText('Saved.').waitFor();
    expect(await stored()).toMatchObject({
      full_name: 'Nina New',
      email: 'nina.new@example.com',
      job_description: 'Support',
    });
    expect(await theirs.count()).toBe(0);
    // The page stays, with the user as the service has them: nothing is left to save.
    expect(await page.getByLabel('E-mail').inputValue()).toBe('nina.new@example.com');
    await page.getByRole('link', { name: 'Account' }).last().click();
    await page.getByLabel('Country').waitFor();
    expect(unexpected(complaints)).toEqual([]);
    await page.context().close();
  });

  test('no form saves over a version that it does not show', async () => {
    const account = await world(scene.service);
    const webhook = await account.webhook({ enabled: false, description: 'Shop' });
    const product = await account.product({ name: 'Boat', description: 'Small' });
    const line = await account.dealProduct({ quantity: 1 });
    const { contact_id } = await account.fetchDeal(line.deal_id);
    const note = await account.rest.post<{ id: number }>(`/contacts/${contact_id}/events`, {
      kind: 'activity',
      title: 'Call',
      content: 'Them',
    });
    const [stage] = account.stageIds;
    const path = {
      pipeline: `/pipelines/${account.pipelineId}`,
      stage: `/stages/${stage}`,
      product: `/products/${product.id}`,
      webhook: `/webhooks/${webhook.id}`,
      line: `/deal_products/${line.id}`,
      note: `/events/${note.body.id}`,
    };
    /** Where a form is, what opens it, what is typed in, and what somebody else changes, where. */
    const forms = [
      ['/account', undefined, 'Name', '', { time_zone: 'Asia/Tokyo' }],
      ['/pipelines', 'Rename Sales', 'Name', path.pipeline, { name: 'Theirs' }],
      ['/pipelines', 'Edit New', 'Name', path.stage, { name: 'Theirs' }],
      ['/products', 'Boat', 'Name', path.product, { description: 'Theirs' }],
      [path.webhook, 'Change', 'Description', path.webhook, { events: ['deal.*'] }],
      [`/contacts/${contact_id}`, 'Edit Activity: Call', 'Details', path.note, { title: 'Theirs' }],
      [`/deals/${line.deal_id}`, 'Edit', 'Price', path.line, { quantity: 2 }],
    ] as const;
    const { page, complaints } = await openAsAdmin(account, '/account');
    for (const [at, opener, field, changed, theirs] of forms) {
      await page.goto(`${scene.service.url}/console${at}`);
      if (opener) {
        await page.getByRole('button', { name: opener, exact: true }).click();
      }
      const control = page.getByRole('textbox', { name: field, exact: true });
      await control.fill('7');
      const { body } = await account.rest.put<object>(changed, theirs);
      await save(page);
      await page.getByText('Somebody has changed this meanwhile.').waitFor();
      expect((await account.rest.get<object>(changed)).body).toMatchObject(body);
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByRole('alert').waitFor({ state: 'detached' });
      expect(await control.inputValue()).toBe('7');
      await save(page);
      const kept = (await account.rest.get<object>(changed)).body;
      expect(kept).toMatchObject('name' in theirs ? { name: '7' } : theirs);
    }
    expect(unexpected(complaints)).toEqual([]);
    await page.context().close();
  });

  test('the audit log tells refused sign-ins and the command line apart, whatever requests are called', async () => {
    const account = await world(scene.service);
    const { email } = await account.user();
    const stranger = new Person(scene.service.client);
    const wrong = { email, password: 'wrong password' };
    await stranger.send('POST', '/session', wrong, { 'x-request-id': 'cli' });
    await scene.service.database.query(
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
  });

  test('a new password takes the places that it signed out from the list', async () => {
    const account = await world(scene.service);
    const admin = await adminOf(account);
    await new Person(scene.service.client).signIn(admin.email);
    const { page, complaints } = await openAs(scene, admin.email, '/profile');
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
  });

  test('names of any length leave room for other columns and filters', async () => {
    const account = await world(scene.service);
    const long = 'N'.repeat(200);
    const { email } = await account.user({ full_name: long });
    await scene.service.database.query(
      'UPDATE api_tokens SET name = $1, user_id = (SELECT id FROM users WHERE email = $2) WHERE account_id = $3',
      [long, email, account.accountId],
    );
    const { page, complaints } = await openAsAdmin(account, '/tokens');
    for (const path of ['tokens', 'users']) {
      await page.goto(`${scene.service.url}/console/${path}`);
      await page.getByText(long).first().waitFor();
      const name = page.getByRole('cell').filter({ hasText: long }).first();
      expect((await name.boundingBox())?.width).toBeLessThan(450);
    }
    await page.goto(`${scene.service.url}/console/audit`);
    await page
      .getByLabel('Person')
      .locator('option', { hasText: long })
      .waitFor({ state: 'attached' });
    expect((await page.getByLabel('Person').boundingBox())?.width).toBeLessThan(300);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a link without its code says so, and one that is opened by somebody at work says who they are', async () => {
    const account = await world(scene.service);
    const admin = await adminOf(account);
    const { page, complaints } = await openAs(scene, admin.email, '/welcome');
    await page.getByText('This link is not complete.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.goto(`${scene.service.url}/console/welcome#a-code`);
    await page.getByText(`You are signed in as ${admin.email}.`).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
