/** Several records of a list at a time, in the console. */
import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { readCsv } from '../kit/csv.ts';
import { type World, world } from '../kit/world.ts';
import { adminOf, expectAccessible, expectWithin, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('in the console, several records of a list', (scene) => {
  let account: World;

  beforeEach(async () => {
    account = await world(scene.service);
  });

  const show = async (path: string) => {
    const watched = await openAs(scene, (await adminOf(account)).email, path);
    await watched.page.setViewportSize({ width: 1280, height: 900 });
    await settled(watched.page);
    return watched;
  };
  const choose = (page: Page, name: string) => page.getByRole('checkbox', { name });
  const searched = async <Row>(records: string, query: object) =>
    (await account.rest.post<{ data: Row[] }>(`/${records}/search`, { query, per_page: 100 })).body
      .data;

  test('are chosen with shift, moved to a stage, and come back by one undo', async () => {
    const contact_id = (await account.contact({ full_name: 'Ana Lima' })).id;
    for (const name of ['Fourth', 'Third', 'Second', 'First']) {
      await account.deal({ name, contact_id });
    }
    const { page, complaints } = await show('/deals');
    await choose(page, 'Choose First').click();
    await choose(page, 'Choose Third').click({ modifiers: ['Shift'] });
    const bar = page.getByRole('region', { name: 'What was chosen' });
    await bar.getByText('3 chosen').waitFor();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expectAccessible(page);
      await expectWithin(page);
    }
    await bar.getByLabel('Stage').selectOption({ label: 'Sales · Talks' });
    await page.getByText('Done with 3.').waitFor();
    const at = async (stage: number | undefined) =>
      (await searched<{ name: string }>('deals', { stage_id_eq: stage, s: 'position' })).map(
        ({ name }) => name,
      );
    expect(await at(account.stageIds[1])).toHaveLength(3);
    expect(await at(account.stageIds[0])).toEqual(['Fourth']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await at(account.stageIds[0])).toEqual(['Fourth', 'Third', 'Second', 'First']);
    expect(complaints).toEqual([]);
  });

  test('all that match, on whatever page, get an owner, are won and are deleted', async () => {
    const contact_id = (await account.contact()).id;
    const records = Array.from({ length: 60 }, (_, at) => {
      return { name: `Deal ${at}`, stage_id: account.stageIds[0], contact_id };
    });
    await account.rest.post('/deals/batch', { operation: 'create', records });
    const other = await account.user({ full_name: 'Bruno Reis' });
    const { page, complaints } = await show('/deals?text=deal');
    const bar = page.getByRole('region', { name: 'What was chosen' });
    const chooseAll = async () => {
      await choose(page, 'Choose all rows of this page').click();
      await bar.getByRole('button', { name: 'All 60 that match' }).click();
      await bar.getByText('60 chosen').waitFor();
    };
    await chooseAll();
    await bar.getByLabel('Status').selectOption('won');
    await page.getByText('Done with 60.').waitFor();
    await page.locator('.toast').getByRole('button', { name: 'Close' }).click();
    const won = { status_eq: 'won', name_start: 'Deal' };
    expect(await searched('deals', won)).toHaveLength(60);
    await chooseAll();
    await bar.getByLabel('Add owner').selectOption({ label: 'Bruno Reis' });
    await page.getByText('Done with 60.').waitFor();
    expect(await searched('deals', { ...won, users_id_eq: other.id })).toHaveLength(60);
    await page.locator('.toast').getByRole('button', { name: 'Close' }).click();
    await chooseAll();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Done with 60.').waitFor();
    expect(await searched('deals', won)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await searched('deals', { ...won, users_id_eq: other.id })).toHaveLength(60);
    expect(complaints).toEqual([]);
  });

  test('pass to another owner, with the bar in sight, and are exported as people read them', async () => {
    const contact_id = (await account.contact()).id;
    const records = Array.from({ length: 30 }, (_, at) => {
      return { name: `Deal ${at}`, stage_id: account.stageIds[0], contact_id };
    });
    await account.rest.post('/deals/batch', { operation: 'create', records });
    const other = await account.user({ full_name: 'Bruno Reis' });
    const [first] = await searched<{ id: number }>('deals', {});
    const owner = (await account.fetchDeal(first?.id ?? 0)).deal_assignees[0]?.user_id;
    const owned = async () => [
      (await searched('deals', { users_id_eq: owner })).length,
      (await searched('deals', { users_id_eq: other.id })).length,
    ];
    expect(await owned()).toEqual([30, 0]);
    const { page, complaints } = await show('/deals');
    await choose(page, 'Choose all rows of this page').click();
    await page.getByRole('button', { name: 'Next page' }).scrollIntoViewIfNeeded();
    const bar = page.getByRole('region', { name: 'What was chosen' });
    expect((await bar.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    const coming = page.waitForEvent('download');
    await bar.getByRole('button', { name: 'Spreadsheet' }).click();
    const [head, ...rows] = readCsv(readFileSync(await (await coming).path(), 'utf8'));
    expect([head?.includes('Owners'), rows.length]).toEqual([true, 25]);
    await bar.getByLabel('Change owner').selectOption({ label: 'Bruno Reis' });
    await page.getByText('Done with 25.').waitFor();
    expect(await owned()).toEqual([5, 25]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await owned()).toEqual([30, 0]);
    expect(complaints).toEqual([]);
  });

  test('get a label and lose it, keeping those they have, and are exported alone', async () => {
    const { id } = await account.contact({ full_name: 'Ana Lima', label_list: ['vip'] });
    await account.contact({ full_name: 'Bia Souza' });
    const { page } = await show('/contacts');
    await choose(page, 'Choose Ana Lima').check();
    const bar = page.getByRole('region', { name: 'What was chosen' });
    const coming = page.waitForEvent('download');
    await bar.getByRole('button', { name: 'Spreadsheet' }).click();
    const [, ...rows] = readCsv(readFileSync(await (await coming).path(), 'utf8'));
    expect(rows.map(([name]) => name)).toEqual(['Ana Lima']);
    await bar.getByRole('button', { name: 'Add label' }).click();
    await page.getByRole('dialog').getByLabel('Label').fill('fair');
    await page.keyboard.press('Enter');
    await page.getByText('Done with 1.').waitFor();
    expect((await account.fetchContact(id)).label_list).toEqual(['vip', 'fair']);
    await choose(page, 'Choose Ana Lima').check();
    await bar.getByLabel('Remove label').selectOption('vip');
    await page.getByText('Done with 1.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect((await account.fetchContact(id)).label_list).toEqual(['vip', 'fair']);
  });

  test('contacts are deleted only after it was said how many deals go with them', async () => {
    const { id } = await account.contact({ full_name: 'Ana Lima' });
    for (const name of ['First', 'Second']) await account.deal({ name, contact_id: id });
    await account.contact({ full_name: 'Bia Souza' });
    const { page, complaints } = await show('/contacts');
    const bar = page.getByRole('region', { name: 'What was chosen' });
    const dialog = page.getByRole('dialog');
    const said = async () => {
      await bar.getByRole('button', { name: 'Delete' }).click();
      const text = await dialog.locator('p').innerText();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      return text;
    };
    const why = 'They go with all that belongs to them. Undo brings them back.';
    await choose(page, 'Choose Bia Souza').check();
    expect(await said()).toBe(why);
    await choose(page, 'Choose Ana Lima').check();
    expect(await said()).toBe(`2 deals go with them. ${why}`);
    expect((await account.fetchContact(id)).deals).toHaveLength(2);
    expect(complaints).toEqual([]);
  });

  test('deals for which nothing is planned are sorted, exported and changed all at once', async () => {
    const contact_id = (await account.contact({ full_name: 'Ana Lima' })).id;
    const planned = await account.deal({ name: 'Planned', contact_id });
    await account.rest.post(`/deals/${planned.id}/events`, { kind: 'activity', title: 'Call' });
    const records = Array.from({ length: 29 }, (_, at) => {
      return { name: `Bare ${at}`, stage_id: account.stageIds[0], contact_id };
    });
    await account.rest.post('/deals/batch', { operation: 'create', records });
    const won = await account.deal({ name: 'Won', contact_id });
    await account.updateDeal(won.id, { status: 'won' });
    const large = await account.deal({ name: 'Large', contact_id });
    await account.rest.post(`/deals/${large.id}/events`, {
      kind: 'activity',
      title: 'Call',
      done: true,
    });
    await account.dealProduct({ deal_id: large.id, unit_amount_in_cents: 500 });
    const { page, complaints } = await show('/deals');
    await page.getByLabel('Next step').selectOption({ label: 'Nothing planned' });
    await page.getByRole('link', { name: 'Won', exact: true }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Status').inputValue()).toBe('open');
    const amount = page.getByRole('button', { name: 'Amount' });
    await amount.click();
    await page.locator('th[aria-sort="ascending"]').getByRole('button', { name: 'Amount' }).click();
    const first = page.locator('tbody tr').first();
    await first.getByRole('link', { name: 'Large' }).waitFor();
    const coming = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Raw data' }).click();
    const [, ...rows] = readCsv(readFileSync(await (await coming).path(), 'utf8'));
    const bare = ['Large', ...records.map(({ name }) => name)];
    expect(rows.map(([, name]) => name)).toEqual(bare);
    await choose(page, 'Choose all rows of this page').click();
    const bar = page.getByRole('region', { name: 'What was chosen' });
    await bar.getByRole('button', { name: 'All 30 that match' }).click();
    await bar.getByLabel('Stage').selectOption({ label: 'Sales · Talks' });
    await page.getByText('Done with 30.').waitFor();
    const moved = await searched<{ name: string }>('deals', { stage_id_eq: account.stageIds[1] });
    expect(moved.map(({ name }) => name).sort()).toEqual(bare.sort());
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expectAccessible(page);
      await expectWithin(page);
    }
    expect(complaints).toEqual([]);
  });
});
