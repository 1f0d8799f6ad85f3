/** The console in a browser, with somebody signed in. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Person } from '../kit/person.ts';
import type { Service } from '../kit/service.ts';
import type { World } from '../kit/world.ts';
import { open, type Watched } from './chromium.ts';

/** Of everybody whom a test signs in. */
export const password = 'correct horse';

/** An account's admin who signs in with {@link password}. */
export const adminOf = (account: World) => account.user({ role: 'admin', full_name: 'Vera Boss' });

/** Opens a page of the console in a fresh profile, signed in as somebody. */
export async function openAs(
  browser: Browser,
  service: Service,
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

/**
 * Expects that axe-core finds nothing serious in what a page shows once it is read.
 * @param rules all of them when left out
 */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  await settled(page);
  await page.evaluate(`window.axe ?? (() => { ${axe} })()`);
  const options = JSON.stringify(rules ? { runOnly: rules } : {});
  const findings = await page.evaluate(`axe.run(${options}).then(({ violations }) => violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
  expect([page.url(), findings]).toEqual([page.url(), []]);
}

/** Expects that nothing sticks out at the side. */
export async function expectWithin(page: Page): Promise<void> {
  const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect([page.url(), excess]).toEqual([page.url(), expect.any(Number)]);
  expect(Number(excess)).toBeLessThanOrEqual(0);
}
