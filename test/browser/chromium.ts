/** A real Chromium for tests, and what a page did that it must not do. */
import { jest } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';

export { hasChromium, launch } from './program.ts';

// A page that answers within a second by itself takes long where two cores run a browser, another
// test file and its database as well; how long it takes is no promise of these tests.
export const patienceMs = 30_000;
jest.setTimeout(4 * patienceMs);

/** A page and everything it complained of or asked another host for. */
export interface Watched {
  readonly page: Page;
  /** Errors and warnings of its console, exceptions, requests that left the host. */
  readonly complaints: readonly string[];
}

/**
 * Opens an address in a fresh profile; the service's certificate is its own.
 * @param prepare what the profile has before the page is opened
 */
export async function open(
  browser: Browser,
  url: string,
  prepare?: (context: BrowserContext) => Promise<unknown>,
): Promise<Watched> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-US' });
  context.setDefaultTimeout(patienceMs);
  await prepare?.(context);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.protocol === 'data:' || asked.protocol === 'blob:') return;
    if (asked.origin !== new URL(url).origin) complaints.push(`asked ${request.url()}`);
  });
  await page.goto(url);
  return { page, complaints };
}
