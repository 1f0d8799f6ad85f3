/** The page of the day, and what else of the console shows activities and who wrote them. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { patienceMs } from './chromium.ts';
import {
  adminOf,
  expectAccessible,
  expectWhole,
  expectWithin,
  openAs,
  settled,
  unexpected,
} from './console.ts';
import { browserSuite } from './suite.ts';

const hour = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString();

browserSuite('in the console, activities', (scene) => {
  let account: World;
  let email: string;
  let contact: number;
  let deal: number;

  beforeEach(async () => {
    account = await world(scene.service);
    email = (await adminOf(account)).email;
    contact = (await account.contact({ full_name: 'Ana Lima' })).id;
    deal = (await account.deal({ name: 'First year', contact_id: contact })).id;
  });

  const plan = async (title: string, scheduled_at: string | null, of = `/deals/${deal}`) => {
    const fields = { kind: 'activity', title, scheduled_at };
    const { body } = await account.rest.post<{ id: number }>(`${of}/events`, fields);
    return body.id;
  };
  const event = async (id: number) => {
    const { body } = await account.rest.get<{ done: boolean; scheduled_at: string }>(
      `/events/${id}`,
    );
    return body;
  };
  const show = async (path: string, width = 1280) => {
    const watched = await openAs(scene, email, path);
    await watched.page.setViewportSize({ width, height: 900 });
    await settled(watched.page);
    return watched;
  };
  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  test('stand in the page of the day by when they are due, with the deals that have none', async () => {
    await account.deal({ name: 'Forgotten', contact_id: contact });
    await plan('Call back', inHours(-2));
    await plan('Send the offer', inHours(72));
    await plan('Think about it', null, `/contacts/${contact}`);
    const { page, complaints } = await show('/today?of=all');
    await part(page, 'Overdue').getByRole('link', { name: 'Call back' }).waitFor();
    const later = await part(page, 'Later').getByRole('link').allInnerTexts();
    expect(later).toEqual(['Send the offer', 'Think about it']);
    expect(await part(page, 'Without a next step').getByRole('link').allInnerTexts()).toEqual([
      'Forgotten',
    ]);
    for (const width of [390, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      await expectWithin(page);
      await expectAccessible(page);
    }
    expect(complaints).toEqual([]);
  });

  test('are done with one key and moved with one, and the next step is offered', async () => {
    const call = await plan('Call back', inHours(-2));
    const offer = await plan('Send the offer', inHours(-1));
    const { page, complaints } = await show('/today?of=all');
    await part(page, 'Overdue').getByRole('link', { name: 'Call back' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator(':focus').innerText()).toBe('Send the offer');
    await page.keyboard.press('t');
    const moved = await until(
      () => event(offer),
      ({ scheduled_at }) => Date.parse(scheduled_at) > Date.now(),
      patienceMs,
    );
    expect(moved.scheduled_at).toMatch(/T09:00:00\.000Z$/);
    await part(page, 'Later').getByRole('link', { name: 'Send the offer' }).waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    expect(await page.locator(':focus').innerText()).toBe('Call back');
    await page.keyboard.press('d');
    await until(
      () => event(call),
      ({ done }) => done,
      patienceMs,
    );
    // The deal has another activity, so nothing is offered.
    await part(page, 'Overdue').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Send the offer' }).focus();
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'What comes next with First year?' });
    await dialog.getByLabel('What is to be done').fill('Visit');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Visit' }).waitFor();
    expect(unexpected(complaints)).toEqual([]);
  });

  test('of a deal that was won are offered as well, and a slip of Enter plans nothing', async () => {
    const { page } = await show(`/deals/${deal}`);
    await page.getByRole('button', { name: 'Won' }).click();
    const dialog = page.getByRole('dialog', { name: 'What comes next with First year?' });
    await dialog.getByLabel('What is to be done').press('Enter');
    await dialog.getByText('Must not be empty.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect((await account.fetchDeal(deal)).status).toBe('won');
  });

  test('of a deal that is lost are deleted with it if wanted, come back with it, and are told from others', async () => {
    const call = await plan('Call back', inHours(-2));
    await plan('Send the offer', null);
    const { page, complaints } = await show(`/deals/${deal}`);
    const dialog = page.getByRole('dialog', { name: 'Lost' });
    const drop = dialog.getByLabel('Delete the 2 planned activities, too');
    const planned = page.getByRole('region', { name: 'Planned' });
    await page.getByRole('button', { name: 'Lost' }).click();
    expect(await drop.isChecked()).toBe(false);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expectAccessible(page);
      await expectWhole(page);
    }
    await dialog.getByLabel('Reason').fill('Price');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Control+Enter');
    await page.getByText('The deal is lost.').waitFor();
    await planned.waitFor({ state: 'detached' });
    expect((await account.rest.get(`/events/${call}`)).status).toBe(404);
    expect(await account.fetchDeal(deal)).toMatchObject({ status: 'lost', lost_reason: 'Price' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await planned.getByText('Call back').waitFor();
    await planned.getByText('Send the offer').waitFor();
    expect((await account.fetchDeal(deal)).status).toBe('open');
    await page.getByRole('button', { name: 'Lost' }).click();
    await drop.waitFor();
    await dialog.getByRole('button', { name: 'Lost' }).click();
    await page.getByText('The deal is lost.').waitFor();
    await page.goto(`${scene.service.url}/console/today?of=all`);
    await part(page, 'Overdue').getByText('Lost', { exact: true }).waitFor();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expectAccessible(page);
      await expectWhole(page);
    }
    expect(complaints).toEqual([]);
  });

  test('are counted in the navigation while they are one’s own, and shown on cards and rows', async () => {
    const { page } = await show(`/board?pipeline=${account.pipelineId}`);
    const menu = page.getByRole('navigation', { name: 'Pages' });
    await page.getByRole('img', { name: 'Nothing planned' }).waitFor();
    expect(await menu.getByRole('link', { name: 'Today' }).innerText()).toBe('Today');
    await plan('Call back', inHours(-2));
    const { body } = await account.rest.post<{ data: { id: number }[] }>('/users/search', {
      query: { email_eq: email },
    });
    const user_id = body.data[0]?.id;
    await account.rest.post('/deal_assignees', { deal_id: deal, user_id });
    await page.reload();
    await settled(page);
    await menu.getByRole('link', { name: 'Today' }).getByTitle('1 due').waitFor();
    await page.getByRole('img', { name: /^Overdue · / }).waitFor();
    for (const path of ['/deals', '/contacts']) {
      await page.goto(`${scene.service.url}/console${path}`);
      await settled(page);
      await page.getByRole('img', { name: /^Overdue · Call back/ }).waitFor();
      await expectAccessible(page);
    }
  });

  test('that are planned stand above what happened, which says who did it', async () => {
    const member = await account.user({ full_name: 'Bruno Reis' });
    await plan('Call back', inHours(24));
    await account.rest.post(`/deals/${deal}/events`, { kind: 'note', content: 'Likes it' });
    await account.rest.post(`/deals/${deal}/events`, { kind: 'note', content: 'Long ago' });
    await scene.service.database.query(
      "UPDATE events SET created_by_id = NULL WHERE account_id = $1 AND content = 'Long ago'",
      [account.accountId],
    );
    for (const path of [`/deals/${deal}`, `/contacts/${contact}`]) {
      const { page } = await openAs(scene, member.email, path);
      await settled(page);
      await part(page, 'Planned').getByText('Call back').waitFor();
      expect(await page.getByText('Call back').count()).toBe(1);
      for (const hasText of ['Likes it', 'Long ago']) {
        const note = page.locator('.happening', { hasText });
        expect(await note.locator('.happening-author').innerText()).toBe('Ada Admin');
      }
      await page.context().close();
    }
  });
});
