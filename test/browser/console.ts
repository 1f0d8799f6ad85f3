/** The console in a browser, with somebody signed in. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Person } from '../kit/person.ts';
import type { World } from '../kit/world.ts';
import { open, type Watched } from './chromium.ts';
import type { Scene } from './suite.ts';

/** Of everybody whom a test signs in. */
export const password = 'correct horse';

/** An account's admin who signs in with {@link password}. */
export const adminOf = (account: World) => account.user({ role: 'admin', full_name: 'Vera Boss' });

/** Opens a page of the console in a fresh profile, signed in as somebody. */
export async function openAs(
  { browser, service }: Pick<Scene, 'browser' | 'service'>,
  email: string,
  path: string,
): Promise<Watched> {
  const person = new Person(service.client);
  await person.signIn(email);
  const [name = '', value = ''] = person.cookie?.split('=') ?? [];
  return open(browser, `${service.url}/console${path}`, async (context) => {
    await context.addCookies([
      {
        name,
        value,
        domain: '127.0.0.1',
        path: '/',
        secure: true,
        httpOnly: true,
        sameSite: 'Strict',
      },
    ]);
    await context.addInitScript("localStorage.setItem('crm.signed-in', 'someone')");
  });
}

/** Waits until a page shows what it asked for. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.locator('.loading, [aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** Complaints other than of answers that a test asks for. */
export const unexpected = (complaints: readonly string[]): readonly string[] =>
  complaints.filter((text) => !/the server responded with a status of 4|ERR_INTERNET/.test(text));

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What WCAG 2.2 AA wants, and what is good practice besides. */
export const standards = [
  ...['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  'best-practice',
];

/**
 * Expects that axe-core finds nothing in what a page shows once it is read.
 * @param rules or standards that are tried
 * @param besides rules of these that are not
 */
export async function expectAccessible(
  page: Page,
  rules: readonly string[] = standards,
  besides: readonly string[] = [],
): Promise<void> {
  await settled(page);
  await page.evaluate(`window.axe ?? (() => { ${axe} })()`);
  const options = JSON.stringify({
    runOnly: rules,
    rules: Object.fromEntries(besides.map((rule) => [rule, { enabled: false }])),
  });
  const findings = await page.evaluate(`axe.run(${options}).then(({ violations }) => violations
    .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
  expect([page.url(), findings]).toEqual([page.url(), []]);
}

/** Expects that nothing sticks out at the side. */
export async function expectWithin(page: Page): Promise<void> {
  const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect([page.url(), excess]).toEqual([page.url(), expect.any(Number)]);
  expect(Number(excess)).toBeLessThanOrEqual(0);
}

/**
 * Of all text that is seen: what sticks out of the box that it is in, where that neither scrolls nor ends in an
 * ellipsis, and short words that are broken over two lines.
 */
const damagedTexts = `(() => {
  const found = [];
  const styleOf = (box) => getComputedStyle(box);
  const scrolls = (box) => box !== null && (scrolls(box.parentElement) ||
    ['auto', 'scroll'].includes(styleOf(box).overflowX) && box.scrollWidth > box.clientWidth);
  const isOut = (box, left, right) => {
    if (box === null || box === document.documentElement) return false;
    const { display, position, textOverflow, webkitLineClamp, clipPath } = styleOf(box);
    if (textOverflow === 'ellipsis' || webkitLineClamp !== 'none' || clipPath !== 'none') return false;
    const edges = box.getBoundingClientRect();
    const isBox = display !== 'inline' && display !== 'contents';
    if (isBox && (right > edges.right + 1 || left < edges.left - 1)) return true;
    return position !== 'fixed' && isOut(box.parentElement, left, right);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const box = node.parentElement;
    const isSeen = box.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!isSeen || box.closest('.unseen, option, script')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const pieces = [...range.getClientRects()].filter(({ width }) => width > 0);
    if (pieces.length === 0) continue;
    const left = Math.min(...pieces.map((piece) => piece.left));
    const right = Math.max(...pieces.map((piece) => piece.right));
    if (!scrolls(box) && isOut(box, left, right)) found.push('out of its box: ' + node.data);
    for (const { index, 0: word } of node.data.matchAll(/(?<!\\S)[\\p{L}\\d.,:]{2,16}(?!\\S)/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push('broken: ' + word);
    }
  }
  return found;
})()`;

/**
 * Expects that all text of a page is within its boxes, and that no short word is broken.
 * @param besides begins what is known of texts that nobody would write
 */
export async function expectWhole(page: Page, besides?: 'broken'): Promise<void> {
  const where = `${page.url()} at ${page.viewportSize()?.width}`;
  const damaged = await page.evaluate<string[]>(damagedTexts);
  const found = damaged.filter((text) => besides === undefined || !text.startsWith(besides));
  expect([where, found]).toEqual([where, []]);
  await expectWithin(page);
}
