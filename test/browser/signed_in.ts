/** Somebody of an account at the console, as a browser shows it. */
import type { Browser } from 'playwright-core';
import type { Service } from '../kit/service.ts';
import type { World } from '../kit/world.ts';
import { open, type Watched } from './chromium.ts';

/** Signs a new user of the account in, and opens a page of the console, such as `/deals`. */
export async function openConsole(
  browser: Browser,
  service: Service,
  account: World,
  path: string,
): Promise<Watched> {
  const { email } = await account.user({ full_name: 'Bea Browser', language: 'en', role: 'admin' });
  const watched = await open(
    browser,
    `${service.url}/console/sign-in?next=${encodeURIComponent(path)}`,
  );
  const { page } = watched;
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#main h1').waitFor();
  return watched;
}
