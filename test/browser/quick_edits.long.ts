/** What takes few keys in the console: values changed in place, deals made in one go, ways there and back. */
import { beforeEach, expect, test } from '@jest/globals';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { patienceMs } from './chromium.ts';
import { adminOf, expectAccessible, expectWithin, openAs, settled, unexpected } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('in the console', (scene) => {
  let account: World;

  beforeEach(async () => {
    account = await world(scene.service);
  });

  const show = async (path: string, width = 1280) => {
    const watched = await openAs(scene, (await adminOf(account)).email, path);
    await watched.page.setViewportSize({ width, height: 800 });
    await settled(watched.page);
    return watched;
  };

  test('a value is changed where it stands by a click and Enter, and Escape leaves it', async () => {
    const { id } = await account.contact({
      full_name: 'Ana Lima',
      custom_attributes: { city: 'Rio' },
    });
    const { page, complaints } = await show(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Change E-mail' }).click();
    await page.keyboard.type('nonsense');
    await page.keyboard.press('Enter');
    await page.getByText('Is not valid.').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('ana@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'ana@example.com' }).waitFor();
    const pencil = page.getByRole('button', { name: 'Change E-mail' });
    await until(
      () => pencil.and(page.locator(':focus')).count(),
      (count) => count === 1,
      patienceMs,
    );
    await page.getByRole('button', { name: 'Change city' }).click();
    await page.keyboard.type('Porto');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Change city' }).click();
    await page.keyboard.type('Lisboa');
    await page.keyboard.press('Enter');
    await page.getByText('Lisboa').waitFor();
    expect(await account.fetchContact(id)).toMatchObject({
      email: 'ana@example.com',
      custom_attributes: { city: 'Lisboa' },
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await account.fetchContact(id)).toMatchObject({ custom_attributes: { city: 'Rio' } });
    expect(unexpected(complaints)).toEqual([]);
  });

  test('the first letter after a click is for the value, and none is for what was left', async () => {
    const { id } = await account.contact({ full_name: 'Ana Lima' });
    const { page } = await show(`/contacts/${id}`);
    /** What has the focus as soon as a button's click was answered, before any picture. */
    const focusAfter = (name: string) =>
      page.getByRole('button', { name }).evaluate(async (button) => {
        button.dispatchEvent(new MouseEvent('click', { bubbles: true }));
        await Promise.resolve();
        return document.activeElement?.getAttribute('aria-label');
      });
    expect(await focusAfter('Change Name')).toBe('Name');
    await page.keyboard.press('Escape');
    expect(await focusAfter('Change Phone')).toBe('Phone');
    await page.getByRole('button', { name: 'Change E-mail' }).focus();
    await page.getByLabel('Phone').waitFor({ state: 'detached' });
    const left = page.getByRole('button', { name: 'Change E-mail' });
    expect(await left.and(page.locator(':focus')).count()).toBe(1);
    // By a key and by a click: the focus is still nowhere when the value is left.
    const name = page.getByRole('button', { name: 'Change Name' });
    await name.click();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.getByLabel('Name', { exact: true }).waitFor({ state: 'detached' });
    expect(await name.and(page.locator(':focus')).count()).toBe(0);
    await name.click();
    const elsewhere = page.getByRole('link', { name: 'Deals' }).first();
    const [x, y] = await elsewhere.evaluate((link) => {
      const { left, top, height } = link.getBoundingClientRect();
      return [left + 4, top + height / 2];
    });
    await page.mouse.move(x ?? 0, y ?? 0);
    await page.mouse.down();
    await page.getByLabel('Name', { exact: true }).waitFor({ state: 'detached' });
    expect(await elsewhere.and(page.locator(':focus')).count()).toBe(1);
    await page.mouse.move(700, 700);
    await page.mouse.up();
    await account.deal({ name: 'First year', contact_id: id });
    await page.goto(`${scene.service.url}/console/deals`);
    await settled(page);
    expect(await focusAfter('Change Stage, First year')).toBe('Stage, First year');
    await page.keyboard.press('Escape');
    expect(await focusAfter('Change Stage, First year')).toBe('Stage, First year');
  });

  test('a new deal is saved by who types quicker than its stages come', async () => {
    await account.contact({ full_name: 'Ana Lima' });
    await account.deal();
    const { page, complaints } = await show(`/board?pipeline=${account.pipelineId}`);
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query Choices')) await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'New deal', exact: true }).click();
    await page.keyboard.type('lima');
    await page.getByRole('option', { name: 'Ana Lima' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    go();
    await page.getByRole('heading', { name: 'Deal with Ana Lima' }).waitFor();
    expect(await page.locator('[aria-current=step]').innerText()).toBe('New');
    expect(complaints).toEqual([]);
  });

  test('a new deal says why there are no stages, and asks for them again', async () => {
    await account.contact({ full_name: 'Ana Lima' });
    const { page } = await show('/deals');
    const answers = [
      ['UNAVAILABLE', 'The service is busy', 'The service is busy or restarting.'],
      ['INSUFFICIENT_SCOPE', 'The token lacks the scope pipelines:read', 'pipelines:read'],
    ] as const;
    let refused = 0;
    await page.route('**/graphql', async (route) => {
      const [code, message] = answers[refused] ?? [];
      if (!code || !route.request().postData()?.includes('query Choices')) return route.continue();
      refused += 1;
      const errors = [{ message, extensions: { code, errors: [message] } }];
      return route.fulfill({ json: { errors } });
    });
    await page.getByRole('button', { name: 'New deal' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New deal' });
    for (const [, , sentence] of answers) {
      await dialog.getByRole('alert').getByText(sentence).waitFor();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Try again' }).click();
    }
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    const [stage] = account.stageIds;
    expect(await dialog.getByLabel('Stage').inputValue()).toBe(String(stage));
  });

  test('a value that somebody else has changed meanwhile is not overwritten in place', async () => {
    const { id } = await account.contact({ full_name: 'Ana Lima' });
    const { page } = await show(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Change Name' }).click();
    await page.keyboard.type('Ana Souza');
    await account.rest.put(`/contacts/${id}`, { full_name: 'Ana Reis' });
    await page.keyboard.press('Enter');
    await page.getByText('Somebody has changed this meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('“Ana Reis”').waitFor();
    await page.getByLabel('Name').press('Enter');
    await page.getByText('Saved.').waitFor();
    expect(await account.fetchContact(id)).toMatchObject({ full_name: 'Ana Souza' });
  });

  test('values are changed in the rows of lists', async () => {
    const contact = await account.contact({ full_name: 'Ana Lima' });
    const deal = await account.deal({ name: 'First year', contact_id: contact.id });
    const { page } = await show('/contacts');
    await page.getByRole('button', { name: 'Change Phone, Ana Lima' }).click();
    await page.keyboard.type('+351 912 345 678');
    await page.keyboard.press('Enter');
    await page.getByText('+351912345678').waitFor();
    await page.goto(`${scene.service.url}/console/deals`);
    await settled(page);
    await page.getByRole('button', { name: 'Change Stage, First year' }).click();
    await page.getByLabel('Stage, First year').selectOption({ label: 'Sales · Offer' });
    await page.keyboard.press('Enter');
    await page
      .getByRole('button', { name: 'Change Stage, First year' })
      .getByText('Offer')
      .waitFor();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await expectAccessible(page);
      await expectWithin(page);
    }
    expect((await account.fetchDeal(deal.id)).stage_id).toBe(account.stageIds[2]);
  });

  test('a deal with a new person and a product is made in one dialog, from the head of a column', async () => {
    await account.contact({ full_name: 'Ana Lima' });
    await account.deal();
    await account.product({ name: 'Annual plan', amount_in_cents: 120000 });
    const { page, complaints } = await show(`/board?pipeline=${account.pipelineId}`);
    await page.getByRole('button', { name: 'New deal in Talks' }).click();
    const dialog = page.getByRole('dialog', { name: 'New deal' });
    await dialog.getByLabel('Name', { exact: true }).press('Enter');
    await dialog.getByText('Must not be empty.').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('Kitchen');
    await dialog.getByRole('combobox', { name: 'Contact' }).fill('Ana Lim');
    await dialog.getByRole('option', { name: 'Ana Lima' }).waitFor();
    await dialog.getByRole('option', { name: 'Create “Ana Lim”' }).click();
    await dialog.getByLabel('E-mail').fill('lim@example.com');
    await dialog.getByRole('combobox', { name: 'Product' }).fill('annual');
    await dialog.getByRole('option', { name: 'Annual plan' }).click();
    await dialog.getByLabel('Price').fill('100');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Kitchen' }).waitFor();
    const deal = await account.fetchDeal(Number(page.url().split('/').at(-1)));
    expect(deal).toMatchObject({
      stage_id: account.stageIds[1],
      total_deal_products_amount_in_cents: 10000,
    });
    expect(await account.fetchContact(deal.contact_id)).toMatchObject({
      full_name: 'Ana Lim',
      email: 'lim@example.com',
    });
    expect(complaints).toEqual([]);
  });

  test('a contact that says nothing is not saved, and a value in use leads to who has it', async () => {
    const { id } = await account.contact({ full_name: 'Ana Lima', email: 'ana@example.com' });
    const { page } = await show('/contacts');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New contact' });
    await dialog.getByLabel('Name', { exact: true }).press('Enter');
    await dialog.getByText('Must not be empty.').waitFor();
    await dialog.getByLabel('E-mail').fill('ana@example.com');
    await page.keyboard.press('Enter');
    const holder = dialog.getByRole('link', { name: 'Open the contact that has it' });
    expect(await holder.getAttribute('href')).toBe(`/console/contacts/${id}`);
  });

  test('Back leads to the place of a list and of a column', async () => {
    const contact_id = (await account.contact()).id;
    const records = Array.from({ length: 40 }, (_, at) => {
      return { name: `Deal ${at}`, stage_id: account.stageIds[0], contact_id };
    });
    await account.rest.post('/deals/batch', { operation: 'create', records });
    const { page } = await show('/deals');
    const scrolled = () => page.evaluate<number>('scrollY');
    await page.getByRole('link', { name: 'Deal 20' }).scrollIntoViewIfNeeded();
    await page.evaluate('scrollTo(0, 300)');
    await until(scrolled, (at) => at === 300, patienceMs);
    // What stands above may have become a little higher by then.
    const isAbout = (wanted: number) => (at: number) => Math.abs(at - wanted) < 10;
    await page.getByRole('link', { name: 'Deal 9' }).click();
    await page.getByRole('heading', { name: 'Deal 9' }).waitFor();
    expect(await scrolled()).toBe(0);
    await page.goBack();
    await until(scrolled, isAbout(300), patienceMs);

    await page.goto(`${scene.service.url}/console/board?pipeline=${account.pipelineId}`);
    await settled(page);
    const column = `document.querySelector('[data-place^="stage-"]')`;
    await page.evaluate(`${column}.scrollTo(0, 500)`);
    const place = () => page.evaluate<number>(`${column}?.scrollTop`);
    await until(place, (at) => at === 500, patienceMs);
    await page.getByRole('link', { name: 'Deal 11' }).click();
    await page.getByRole('heading', { name: 'Deal 11' }).waitFor();
    await page.goBack();
    await until(place, isAbout(500), patienceMs);
  });

  test('a note begins in its field, is sent by Ctrl+Enter, and Escape gives the focus back', async () => {
    const { id } = await account.contact({ full_name: 'Ana Lima' });
    const { page } = await show(`/contacts/${id}`, 390);
    await page.getByRole('button', { name: 'Note' }).first().click();
    await page.keyboard.type('Likes it');
    await page.keyboard.press('Control+Enter');
    await page.locator('.happening').getByText('Likes it').waitFor();
    const button = page.locator('.timeline').getByRole('button', { name: 'Activity', exact: true });
    await button.click();
    await page.getByLabel('When').waitFor();
    await expectWithin(page);
    await page.keyboard.press('Escape');
    await until(
      () => button.and(page.locator(':focus')).count(),
      (count) => count === 1,
      patienceMs,
    );
    await page.getByRole('button', { name: 'Delete Note: Likes it' }).waitFor();
  });

  test('keys lead to pages and to the list of keys', async () => {
    const { page, complaints } = await show('/products');
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await page.waitForURL('**/console/board');
    await settled(page);
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'New deal' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a list is opened as it was left, follows what others do, and is saved as a view for all', async () => {
    const contact_id = (await account.contact()).id;
    await account.deal({ name: 'Small', contact_id });
    const won = await account.deal({ name: 'Signed', contact_id });
    await account.updateDeal(won.id, { status: 'won' });
    const { page, complaints } = await show('/deals');
    await page.getByLabel('Status').first().selectOption('won');
    await page.getByRole('link', { name: 'Small' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Contacts' }).click();
    await page.getByRole('heading', { name: 'Contacts' }).waitFor();
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Deals' })
      .click();
    await page.waitForURL('**/deals?status=won');
    await page.getByRole('link', { name: 'Signed' }).waitFor();
    const other = await account.deal({ name: 'Signed by others', contact_id });
    await account.updateDeal(other.id, { status: 'won' });
    await page.getByRole('link', { name: 'Signed by others' }).waitFor();

    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Won deals');
    await page.getByLabel('Share with everybody').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('link', { name: 'Won deals' }).waitFor();
    await expectAccessible(page);
    await views.getByRole('link', { name: 'All' }).click();
    await page.getByRole('link', { name: 'Small' }).waitFor();
    const { email } = await account.user();
    const colleague = await openAs(scene, email, '/deals');
    await colleague.page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: 'Won deals' })
      .click();
    await colleague.page.waitForURL('**/deals?status=won');
    await colleague.page.context().close();
    expect(complaints).toEqual([]);
  });

  test('an account without a pipeline is offered one, with stages, in one click', async () => {
    for (const id of [account.pipelineId, account.other.pipelineId]) {
      expect(await account.rest.delete(`/pipelines/${id}`)).toAnswer(204);
    }
    const { page, complaints } = await show('/board');
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Create “Sales” with New, Contacted/ }).click();
    await page.getByRole('heading', { name: 'No deals here yet' }).waitFor();
    const { body } = await account.rest.get<{ data: { stages: { name: string }[] }[] }>(
      '/pipelines',
    );
    expect(body.data.map(({ stages }) => stages.map(({ name }) => name))).toEqual([
      ['New', 'Contacted', 'Offer', 'Negotiation'],
    ]);
    expect(complaints).toEqual([]);
  });

  test('a deal whose handle is tapped is offered the other stages', async () => {
    const deal = await account.deal({ name: 'First year' });
    const { page } = await show(`/board?pipeline=${account.pipelineId}`, 390);
    await page.getByRole('button', { name: 'Move First year' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move First year to …' });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Offer' }).click();
    await page.getByText('First year moved to Offer.').waitFor();
    expect((await account.fetchDeal(deal.id)).stage_id).toBe(account.stageIds[2]);
  });
});
