/** How many keys and clicks everyday actions take, and how many the README of the console says. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';

const readme = readFileSync(new URL('../../src/console/README.md', import.meta.url), 'utf8');

interface Row {
  readonly action: string;
  readonly here: number;
  /** Not a number where nobody knows. */
  readonly best: number;
}

/** The table of the README. */
export const table: readonly Row[] = [
  ...readme.matchAll(/^\| ([^|]+) \| (\d+): [^|]+ \| (?:(\d+): [^|]+|\?) \|$/gm),
].map(([, action = '', here, best]) => ({ action, here: Number(here), best: Number(best) }));

/** A person at work, whose keys and clicks are counted; a text that is typed counts as one. */
export class Counted {
  readonly page: Page;
  count = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async press(key: string): Promise<void> {
    this.count += 1;
    await this.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    this.count += 1;
    await this.page.keyboard.type(text);
  }

  async click(what: Locator, how?: Parameters<Locator['click']>[0]): Promise<void> {
    this.count += 1;
    await what.click(how);
  }

  async choose(what: Locator, label: string): Promise<void> {
    // It is opened, and then the choice is clicked.
    this.count += 2;
    await what.selectOption({ label });
  }

  async drag(what: Locator, to: Locator): Promise<void> {
    this.count += 1;
    await what.dragTo(to);
  }

  /** Types a part of what something is called into the field in focus, and takes the first choice of its list. */
  async pick(text: string): Promise<void> {
    await this.type(text);
    await this.page.locator('.picker [role=option]').first().waitFor();
    await this.press('Enter');
  }
}
