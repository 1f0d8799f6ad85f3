/** The Chromium of this machine. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

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
