/** What the team does with records in the console. */
import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import { readCsv } from '../kit/csv.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { patienceMs } from './chromium.ts';
import { adminOf, openAs, settled, unexpected } from './console.ts';
import { browserSuite } from './suite.ts';

/** Each does harm in a page that takes text for HTML, a script or an address. */
const hostile = [
  '<script>pwned = 1</script>',
  '<img src=x onerror="pwned = 1">',
  `'"><svg onload=pwned=1>`,
  'javascript:pwned=1',
  "{{constructor.constructor('pwned=1')()}}",
  '</title></style><iframe srcdoc="<script>parent.pwned=1</script>">',
].join(' ');

browserSuite('in the console, the team', (scene) => {
  let account: World;

  beforeEach(async () => {
    account = await world(scene.service);
  });

  const show = async (path: string) => openAs(scene, (await adminOf(account)).email, path);

  test('exports the contacts that a list shows, as a spreadsheet opens them', async () => {
    await account.contact({ full_name: 'Ana Lima' });
    await account.contact({ full_name: 'Bia Souza' });
    const { page } = await show('/contacts?text=ana');
    await settled(page);
    const coming = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Raw data' }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toMatch(/^contacts-\d{4}-\d\d-\d\d\.csv$/);
    const [, ...rows] = readCsv(readFileSync(await download.path(), 'utf8'));
    expect(rows.map(([, name]) => name)).toEqual(['Ana Lima']);
  });

  test('takes deals along as people read them: names, and amounts with decimals', async () => {
    const contact_id = (await account.contact({ full_name: '=Ana', email: 'ana@example.com' })).id;
    const deal = await account.deal({ name: 'First year', contact_id });
    const product = await account.product({ amount_in_cents: 123450 });
    await account.dealProduct({ deal_id: deal.id, product_id: product.id });
    const { page, complaints } = await show('/deals');
    await settled(page);
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Spreadsheet' }).click();
    const text = readFileSync(await (await coming).path(), 'utf8');
    expect(text.startsWith('\ufeff')).toBe(true);
    const [header, ...rows] = readCsv(text.slice(1));
    const columns = ['Name', 'Contact', 'E-mail', 'Phone', 'Status', 'Pipeline', 'Stage', 'Owners'];
    expect(header?.slice(0, 9)).toEqual([...columns, 'Amount']);
    expect(rows.map((row) => row.slice(0, 9))).toEqual([
      ['First year', "'=Ana", 'ana@example.com', '', 'Open', 'Sales', 'New', 'Ada Admin', '1234.5'],
    ]);
    expect(complaints).toEqual([]);
  });

  test('edits a contact: a fault is told at its field, and nothing is lost without a network', async () => {
    const { id } = await account.contact({
      full_name: 'Ana Lima',
      label_list: ['vip'],
      custom_attributes: { city: 'Lisboa', seats: 5 },
    });
    const { page, complaints } = await show(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill('nonsense');
    await dialog.getByLabel('Value city').fill('Porto');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Is not valid.').waitFor();
    expect(await dialog.getByLabel('E-mail').getAttribute('aria-invalid')).toBe('true');

    await page.context().setOffline(true);
    await dialog.getByLabel('E-mail').fill('ana@example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('There is no connection.').waitFor();
    await page.context().setOffline(false);
    expect(await dialog.getByLabel('E-mail').inputValue()).toBe('ana@example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await account.fetchContact(id)).toMatchObject({
      full_name: 'Ana Lima',
      email: 'ana@example.com',
      label_list: ['vip'],
      custom_attributes: { city: 'Porto', seats: 5 },
    });

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await account.fetchContact(id)).toMatchObject({
      email: '',
      custom_attributes: { city: 'Lisboa', seats: 5 },
    });
    expect(unexpected(complaints)).toEqual([]);
  });

  test('follows the addresses in notes and attributes, and none that might be a script', async () => {
    const { id } = await account.contact({
      full_name: 'Ana Lima',
      custom_attributes: { site: 'https://ana.example/?a=1', plan: 'javascript:pwned=1' },
    });
    const content =
      'See https://example.com/a_(b), or (https://example.com/c). Not http://example.com';
    await account.rest.post(`/contacts/${id}/events`, { kind: 'note', content });
    const { page } = await show(`/contacts/${id}`);
    await page.locator('.happening-content').getByText('or (').waitFor();
    const links = await page
      .locator('.happening-content a, .details a')
      .evaluateAll((found) => found.map((link) => [link.getAttribute('href'), link.textContent]));
    const addresses = [
      'https://ana.example/?a=1',
      'https://example.com/a_(b)',
      'https://example.com/c',
    ];
    expect(links).toEqual(addresses.map((address) => [address, address]));
    expect(await page.locator('.happening-content').innerText()).toBe(content);
    await page.getByRole('button', { name: 'Change site' }).click();
    await page.keyboard.type('none');
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    expect(await account.fetchContact(id)).toMatchObject({ custom_attributes: { site: 'none' } });
  });

  test('does not overwrite what somebody else has changed meanwhile: it says so, and keeps what was typed', async () => {
    const custom_attributes = { city: 'Lisboa', seats: 5, plan: 'free' };
    const { id } = await account.contact({ full_name: 'Ana Lima', custom_attributes });
    const { page, complaints } = await show(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Ana Souza');
    await dialog.getByLabel('Value city').fill('Porto');
    const other = {
      phone: '+351912345678',
      custom_attributes: { ...custom_attributes, plan: 'pro' },
    };
    await account.rest.put(`/contacts/${id}`, other);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Somebody has changed this meanwhile.').waitFor();
    expect(await account.fetchContact(id)).toMatchObject({ full_name: 'Ana Lima', ...other });

    await dialog.getByRole('button', { name: 'Reload' }).click();
    await until(
      () => dialog.getByLabel('Phone').inputValue(),
      (phone) => phone === other.phone,
      patienceMs,
    );
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Ana Souza');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await account.fetchContact(id)).toMatchObject({
      full_name: 'Ana Souza',
      phone: other.phone,
      custom_attributes: { city: 'Porto', seats: 5, plan: 'pro' },
    });
    expect(unexpected(complaints)).toEqual([]);
  });

  test('changes one attribute of a contact, and all digits of the others stay', async () => {
    const { id } = await account.contact(
      '{"full_name": "Ana Lima", "custom_attributes": {"city": "Lisboa", "key": 12345678901234567890, "share": 0.10}}',
    );
    const { page } = await show(`/contacts/${id}`);
    await page.getByText('12345678901234567890').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Value city').fill('Porto');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { text } = await account.rest.get(`/contacts/${id}`);
    expect(text).toContain('{"city":"Porto","key":12345678901234567890,"share":0.10}');
  });

  test('writes a note and an activity of a contact, and has done it', async () => {
    const { id } = await account.contact({ full_name: 'Ana Lima' });
    const { page, complaints } = await show(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Note', exact: true }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('Likes the offer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.happening').getByText('Likes the offer').waitFor();
    await page.getByRole('button', { name: 'Activity', exact: true }).click();
    await page.getByLabel('What is to be done').fill('Call back');
    await page.getByLabel('When').fill('2026-03-01T09:30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('checkbox', { name: 'Done' }).check();
    await page.getByText('Overdue').waitFor({ state: 'detached' });
    const query = { contact_id_eq: id, s: 'id' };
    // The page shows what was checked before it is written.
    const { body } = await until(
      () => account.rest.post<{ data: { done: boolean }[] }>('/events/search', { query }),
      ({ body: { data } }) => data.some(({ done }) => done),
      5000,
    );
    expect(body.data).toMatchObject([
      { kind: 'note', content: 'Likes the offer' },
      {
        kind: 'activity',
        title: 'Call back',
        scheduled_at: '2026-03-01T09:30:00.000Z',
        done: true,
      },
    ]);
    expect(complaints).toEqual([]);
  });

  test('writes a note once when the answer to the first attempt is lost', async () => {
    const { id } = await account.contact({ full_name: 'Ana Lima' });
    const { page } = await show(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Note', exact: true }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('Likes the offer');
    let isLost = false;
    await page.route('**/graphql', async (route) => {
      const isChange = route.request().postData()?.includes('mutation');
      if (!isChange || isLost) return route.fallback();
      isLost = true;
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('There is no connection.').waitFor();
    const notes = async () => (await account.fetchContact(id)).events;
    expect(await notes()).toHaveLength(1);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.happening').getByText('Likes the offer').waitFor();
    expect(await notes()).toHaveLength(1);
    await page.getByRole('button', { name: 'Note', exact: true }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('Likes the offer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.happening').getByText('Likes the offer').nth(1).waitFor();
    expect(await notes()).toHaveLength(2);
  });

  test('is asked before what was typed is left behind', async () => {
    const { id } = await account.contact({ full_name: 'Ana Lima' });
    const { page, complaints } = await show(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Note', exact: true }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('Likes the offer');
    await page.getByRole('link', { name: 'Deals' }).click();
    const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('Likes the offer');
    await page.getByRole('link', { name: 'Deals' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await page.waitForURL('**/console/deals');
    expect(complaints).toEqual([]);
  });

  test('creates a deal from the list, adds a product and loses it for a reason', async () => {
    await account.contact({ full_name: 'Ana Lima' });
    await account.product({ name: 'Annual plan', amount_in_cents: 120000 });
    const { page, complaints } = await show('/deals');
    await page.getByRole('button', { name: 'New deal' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('First year');
    await page.getByRole('combobox', { name: 'Contact' }).fill('lima');
    await page.getByRole('option', { name: 'Ana Lima' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'First year' }).waitFor();

    await page.getByRole('button', { name: 'Add product' }).click();
    await page.getByRole('combobox', { name: 'Product' }).fill('annual');
    await page.getByRole('option', { name: 'Annual plan' }).click();
    await page.getByLabel('Quantity').fill('2');
    await page.getByLabel('Price').fill('1.000,50');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.total').getByText('2,001.00').waitFor();

    await page.getByRole('button', { name: 'Lost' }).click();
    await page.getByLabel('Reason').fill('Too dear');
    await page.getByRole('dialog').getByRole('button', { name: 'Lost' }).click();
    await page.getByText('The deal is lost.').waitFor();
    const deal = await account.fetchDeal(Number(page.url().split('/').at(-1)));
    expect(deal).toMatchObject({
      name: 'First year',
      status: 'lost',
      lost_reason: 'Too dear',
      total_deal_products_amount_in_cents: 200100,
    });
    expect(complaints).toEqual([]);
  });

  test('is told that a product which deals hold cannot be deleted', async () => {
    const product = await account.product({ name: 'Annual plan' });
    await account.dealProduct({ product_id: product.id });
    const { page } = await show('/products');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deals hold this product, so it cannot be deleted.').waitFor();
    await page.getByRole('button', { name: 'Annual plan', exact: true }).waitFor();
  });

  test('sees as text whatever integrations wrote, on every page', async () => {
    const contact = await account.contact({
      full_name: hostile,
      phone: hostile,
      label_list: [hostile],
      custom_attributes: { [hostile]: hostile },
    });
    const product = await account.product({
      name: hostile,
      identifier: hostile,
      description: hostile,
    });
    const deal = await account.deal({
      name: hostile,
      contact_id: contact.id,
      custom_attributes: { [hostile]: [hostile] },
    });
    await account.dealProduct({ deal_id: deal.id, product_id: product.id });
    const won = await account.deal({ name: hostile, contact_id: contact.id });
    await account.dealProduct({ deal_id: won.id, product_id: product.id });
    await account.updateDeal(won.id, { status: 'won' });
    const note = { kind: 'note', title: hostile, content: hostile };
    const told = { additional_attributes: { deal_name: hostile, stage_name: { a: hostile } } };
    await account.rest.post(`/deals/${deal.id}/events`, { ...note, ...told });
    await account.updateDeal(deal.id, { status: 'lost', lost_reason: hostile });

    const { page, complaints } = await show('/dashboard');
    for (const path of [
      '/dashboard',
      '/board?status=all',
      '/deals',
      `/deals/${deal.id}`,
      '/contacts',
      `/contacts/${contact.id}`,
      '/products',
    ]) {
      await page.goto(`${scene.service.url}/console${path}`);
      await settled(page);
      await page.getByText(hostile).first().waitFor({ state: 'attached' });
      expect([path, await page.locator('main :is(img, script, iframe, style)').count()]).toEqual([
        path,
        0,
      ]);
      expect(await page.locator('a[href^="javascript:" i]').count()).toBe(0);
    }
    expect(await page.evaluate('typeof pwned')).toBe('undefined');
    expect(complaints).toEqual([]);
  });

  test('a new deal of a contact is called after them, unless somebody types another name', async () => {
    const { id } = await account.contact({ full_name: 'Ana Lima' });
    const { page, complaints } = await show(`/contacts/${id}`);
    for (const [typed, name] of [
      ['', 'Deal with Ana Lima'],
      ['Kitchen', 'Kitchen'],
    ] as const) {
      await page.goto(`${scene.service.url}/console/contacts/${id}`);
      await page.getByRole('button', { name: 'New deal' }).click();
      await page.keyboard.type(typed);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    }
    expect(complaints).toEqual([]);
  });
});
