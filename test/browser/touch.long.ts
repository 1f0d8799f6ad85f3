/** The board under a finger, on a phone. */
import { expect, test } from '@jest/globals';
import type { CDPSession, Locator } from 'playwright-core';
import { until } from '../kit/wait.ts';
import { world } from '../kit/world.ts';
import { patienceMs } from './chromium.ts';
import { adminOf, expectAccessible, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A finger that goes from a point to another, or taps where it stays. */
async function touch(session: CDPSession, from: Point, to = from): Promise<void> {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Point[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints });
  await send('touchStart', [from]);
  for (const part of from === to ? [] : [0.25, 0.5, 0.75, 1]) {
    await send('touchMove', [
      { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part },
    ]);
  }
  await send('touchEnd', []);
}

async function middleOf(what: Locator): Promise<Point> {
  const { x = 0, y = 0, width = 0, height = 0 } = (await what.boundingBox()) ?? {};
  return { x: x + width / 2, y: y + height / 2 };
}

browserSuite('the board, on a phone', (scene) => {
  test('scrolls under a finger without leaving the page, and moves a deal from the menu of its handle', async () => {
    const account = await world(scene.service);
    const deal = await account.deal({ name: 'One' });
    const { email } = await adminOf(account);
    const { page, complaints } = await openAs(scene, email, '/today');
    await page.setViewportSize({ width: 390, height: 844 });
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await settled(page);
    await page.goto(`${scene.service.url}/console/board`);
    await settled(page);
    const board = page.locator('.board');
    const scrolled = () => board.evaluate((element) => element.scrollLeft);
    const middle = await middleOf(board);
    const [left, right] = [
      { x: 20, y: middle.y },
      { x: 370, y: middle.y },
    ];
    await touch(session, right, left);
    await until(scrolled, (at) => at > 0, patienceMs);
    await touch(session, left, right);
    await until(scrolled, (at) => at === 0, patienceMs);
    await touch(session, left, right);
    await touch(session, left, right);
    expect(new URL(page.url()).pathname).toBe('/console/board');

    await touch(session, await middleOf(page.getByRole('button', { name: 'Move One' })));
    const dialog = page.getByRole('dialog', { name: 'Move One to …' });
    await dialog.waitFor();
    await expectAccessible(page);
    await touch(session, await middleOf(dialog.getByRole('button', { name: 'Offer' })));
    await page.getByText('One moved to Offer.').waitFor();
    expect((await account.fetchDeal(deal.id)).stage_id).toBe(account.stageIds[2]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
