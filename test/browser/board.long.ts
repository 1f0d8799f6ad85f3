import { beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Deal } from '../kit/records.ts';
import { type World, world } from '../kit/world.ts';
import { adminOf, openAs } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('the board, in a browser', (scene) => {
  let account: World;
  let one: Deal;
  let two: Deal;
  let other: Deal;

  const show = async (path: string) => openAs(scene, (await adminOf(account)).email, path);

  beforeEach(async () => {
    account = await world(scene.service);
    const contact = await account.contact({ full_name: 'Zoë Board' });
    const deal = (name: string, stage: number) =>
      account.deal({ name, contact_id: contact.id, stage_id: account.stageIds[stage] });
    one = await deal('One', 0);
    two = await deal('Two', 0);
    other = await deal('Other', 1);
  });

  const card = (page: Page, deal: Deal) => page.locator(`[data-deal="${deal.id}"]`);
  const order = async (stage: 0 | 1 | 2) => (await account.board(account.stageIds[stage])).ids;

  /** The names on the cards, column by column. */
  const shown = (page: Page) =>
    page
      .locator('.board-column')
      .evaluateAll((columns) =>
        columns.map((column) =>
          [...column.querySelectorAll('li a')].map((name) => name.textContent),
        ),
      );

  test('a deal is dragged by the mouse to another stage, above another deal, and back by Undo', async () => {
    const { page, complaints } = await show('/board');
    await card(page, one).dragTo(card(page, other), { targetPosition: { x: 40, y: 5 } });
    await page.getByText('One moved to Talks.').waitFor();
    expect(await shown(page)).toEqual([['Two'], ['One', 'Other'], []]);
    expect(await order(1)).toEqual([one.id, other.id]);

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await shown(page)).toEqual([['One', 'Two'], ['Other'], []]);
    expect(await order(0)).toEqual([one.id, two.id]);
    expect(complaints).toEqual([]);
  });

  test('a deal is moved by keys within its stage and to an empty one, and announced', async () => {
    const { page, complaints } = await show('/board');
    const { keyboard } = page;
    await page.getByRole('button', { name: 'Move One' }).focus();
    await keyboard.press('Space');
    await page.getByText('One taken up.').waitFor({ state: 'attached' });
    await keyboard.press('ArrowDown');
    await page.getByText('New, 2 of 2').waitFor({ state: 'attached' });
    await keyboard.press('Space');
    await page.getByText('One moved to New.').waitFor();
    expect(await order(0)).toEqual([two.id, one.id]);

    await keyboard.press('Space');
    await keyboard.press('ArrowRight');
    await keyboard.press('ArrowRight');
    await page.getByText('Offer, 1 of 1').waitFor({ state: 'attached' });
    await keyboard.press('Space');
    await page.getByText('One moved to Offer.').waitFor();
    expect(await order(2)).toEqual([one.id]);

    await keyboard.press('Space');
    await keyboard.press('ArrowLeft');
    await keyboard.press('Escape');
    expect(await shown(page)).toEqual([['Two'], ['Other'], ['One']]);
    expect(complaints).toEqual([]);
  });

  test('what others do appears by itself, but not while a deal is in hand', async () => {
    const { page, complaints } = await show('/board');
    await card(page, one).waitFor();
    await account.updateDeal(one.id, { stage_id: account.stageIds[2] });
    await page.locator('.board-column', { hasText: 'Offer' }).getByText('One').waitFor();
    expect(await shown(page)).toEqual([['Two'], ['Other'], ['One']]);

    const beside = await page.context().newPage();
    await beside.goto(page.url());
    await card(beside, other).waitFor();
    await page.bringToFront();
    await page.getByRole('button', { name: 'Move Two' }).focus();
    await page.keyboard.press('Space');
    await account.updateDeal(other.id, { name: 'Renamed' });
    await beside.getByText('Renamed').waitFor();
    expect(await shown(page)).toEqual([['Two'], ['Other'], ['One']]);
    await page.keyboard.press('Escape');
    await page.getByText('Renamed').waitFor();
    expect(complaints).toEqual([]);
  });

  test('says when it is no longer told of changes, and catches up', async () => {
    const { page } = await show('/board');
    await card(page, one).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Not updated at the moment.').waitFor();
    await account.updateDeal(one.id, { name: 'Renamed' });
    await page.context().setOffline(false);
    await page.getByText('Renamed').waitFor();
    await page.getByText('Not updated at the moment.').waitFor({ state: 'detached' });
  });

  test('a deal that cannot be moved goes back, and the page says why', async () => {
    const { page } = await show('/board');
    await card(page, other).waitFor();
    await page.context().setOffline(true);
    await card(page, one).dragTo(card(page, other));
    await page.locator('.toast').getByText('There is no connection.').waitFor();
    expect(await shown(page)).toEqual([['One', 'Two'], ['Other'], []]);
    await page.context().setOffline(false);
  });

  test('a card says how long its deal has been in the stage, and is marked where that is long', async () => {
    const { database } = scene.service;
    await database.query(
      "UPDATE events SET created_at = now() - interval '5 days' WHERE deal_id = $1",
      [one.id],
    );
    await account.rest.post(`/deals/${one.id}/events`, {
      kind: 'activity',
      title: 'Call',
      done: true,
    });
    const { page } = await show('/pipelines');
    const sales = page.getByRole('region', { name: 'Sales' });
    const rest = async (days: string) => {
      await sales.getByRole('button', { name: 'Edit New' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Days after which a deal rests').fill(days);
      await dialog.getByRole('button', { name: 'Save' }).click();
      return dialog;
    };
    const dialog = await rest('soon');
    await dialog.getByText('must be').waitFor();
    await dialog.getByLabel('Days after which a deal rests').fill('6');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await sales.getByText('resting after 6 days').waitFor();
    const days = async () => {
      await page.goto(`${scene.service.url}/console/board`);
      const mark = card(page, one).getByTitle('5 days in this stage · last activity today');
      await mark.waitFor();
      expect(await mark.textContent()).toBe('5 d');
      return mark.getAttribute('class');
    };
    expect(await days()).toBe('soft');
    await page.goto(`${scene.service.url}/console/pipelines`);
    await rest('5');
    await sales.getByText('resting after 5 days').waitFor();
    expect(await days()).toBe('badge warn');
    expect(await card(page, two).getByTitle('in this stage').count()).toBe(0);
  });

  test('many deals are drawn over several frames, and a move draws few of them anew', async () => {
    const records = Array.from({ length: 300 }, (_, at) => ({
      name: `Deal ${at}`,
      contact_id: one.contact_id,
      stage_id: account.stageIds[at % 3],
    }));
    const batch = { operation: 'create', records };
    expect(await account.rest.post('/deals/batch', batch)).toAnswer(200);
    const { page, complaints } = await show('/keys');
    await page.addInitScript(`
      window.together = 0;
      new MutationObserver((mutations) => {
        const added = mutations.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.isConnected);
        const cards = new Set(added.flatMap((node) =>
          node.nodeType === 1 ? [...(node.matches('.deal-card') ? [node] : node.querySelectorAll('.deal-card'))] : []));
        window.together = Math.max(window.together, cards.size);
      }).observe(document, { childList: true, subtree: true });
      window.amounts = 0;
      const { get } = Object.getOwnPropertyDescriptor(Intl.NumberFormat.prototype, 'format');
      Object.defineProperty(Intl.NumberFormat.prototype, 'format', {
        get() { window.amounts += 1; return get.call(this); },
      });`);
    await page.goto(`${scene.service.url}/console/board`);
    await page.locator('.deal-card').nth(299).waitFor();
    expect(await page.evaluate('window.together')).toBeLessThanOrEqual(51);
    await page.locator('.dot').nth(299).waitFor();
    await page.evaluate('window.amounts = 0');
    await page.getByRole('button', { name: 'Move One', exact: true }).focus();
    for (const key of ['Space', 'ArrowDown', 'Escape']) await page.keyboard.press(key);
    await page.getByText('Left where it was.').waitFor({ state: 'attached' });
    expect(await page.evaluate('window.amounts')).toBeLessThan(50);
    expect(complaints).toEqual([]);
  });

  test('an empty board teaches the first step', async () => {
    account = await world(scene.service);
    const { page, complaints } = await show('/board');
    await page.getByRole('heading', { name: 'No deals here yet' }).waitFor();
    expect(await page.getByRole('link', { name: 'Create a token.' }).getAttribute('href')).toBe(
      '/console/tokens',
    );
    expect(complaints).toEqual([]);
  });
});
