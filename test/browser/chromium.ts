/** A real Chromium for tests, and what a page did that it must not do. */
import { existsSync } from 'node:fs';
import { jest } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

// A page that answers within a second by itself takes long where two cores run a browser, another
// test file and its database as well; how long it takes is no promise of these tests.
export const patienceMs = 30_000;
jest.setTimeout(4 * patienceMs);

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executable = (process.env.CHROMIUM ? [process.env.CHROMIUM] : places).find(existsSync);

/** Whether the browser tests can run; where they must, the lack of a Chromium is an error. */
export function hasChromium(): boolean {
  if (executable !== undefined) return true;
  const advice = 'install it (apt-get install chromium) or set CHROMIUM to its path';
  if (process.env.CI === 'true') throw new Error(`The browser tests need Chromium: ${advice}`);
  process.stderr.write(`No Chromium was found, so the browser tests are left out: ${advice}\n`);
  return false;
}

/** @param further arguments of the browser's */
export function launch(...further: readonly string[]): Promise<Browser> {
  if (executable === undefined) throw new Error('there is no Chromium');
  return chromium.launch({
    executablePath: executable,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...further,
    ],
  });
}

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
