/** How many keys and clicks everyday actions of the console take, as its README says. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';
import { hasChromium, launch } from './chromium.ts';
import { adminOf, openAs, settled } from './console.ts';

const readme = readFileSync(new URL('../../src/console/README.md', import.meta.url), 'utf8');

/** What the table says of an action that is marked as counted. */
function said(action: string): number {
  const row = readme.split('\n').find((line) => line.startsWith(`| ${action} | `));
  const [, count] = /^\| [^|]+ \| (\d+): [^|]+ \| yes \|$/.exec(row ?? '') ?? [];
  if (count === undefined) throw new Error(`the README counts no ${action}`);
  return Number(count);
}

/** A person at work, whose keys and clicks are counted; a text that is typed counts as one. */
class Counted {
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

  async click(what: Locator): Promise<void> {
    this.count += 1;
    await what.click();
  }

  async choose(what: Locator, label: string): Promise<void> {
    // It is opened, and then the choice is clicked.
    this.count += 2;
    await what.selectOption({ label });
  }
}

const suite = hasChromium() ? describe : describe.skip;

suite('in the console', () => {
  let service: Service;
  let browser: Browser;
  let account: World;
  let contact: number;
  let deal: number;

  beforeAll(async () => {
    service = await startService();
    browser = await launch();
  });

  beforeEach(async () => {
    account = await world(service);
    contact = (await account.contact({ full_name: 'Ana Lima' })).id;
    deal = (await account.deal({ name: 'First year', contact_id: contact })).id;
  });

  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  const planned = () =>
    account.rest.post(`/deals/${deal}/events`, {
      kind: 'activity',
      title: 'Call back',
      scheduled_at: new Date(Date.now() - 3_600_000).toISOString(),
    });

  /** Each action: where it begins, what is done, and what is seen then. */
  const actions: readonly (readonly [
    string,
    () => string,
    (person: Counted) => Promise<unknown>,
    (page: Page) => Locator,
  ])[] = [
    [
      'find any record by its name',
      () => '/products',
      async (person) => {
        await person.press('Control+k');
        await person.page.getByRole('combobox', { name: /^Search/ }).waitFor();
        await person.type('ana lima');
        await person.page
          .getByRole('option', { name: /Ana Lima/ })
          .first()
          .waitFor();
        await person.press('Enter');
      },
      (page) => page.getByRole('heading', { name: 'Ana Lima' }),
    ],
    [
      'go to another page',
      () => '/products',
      async (person) => {
        await person.press('g');
        await person.press('c');
      },
      (page) => page.getByRole('heading', { name: 'Contacts' }),
    ],
    [
      'see what is to be done today',
      () => '/products',
      async (person) => {
        await person.press('g');
        await person.press('t');
      },
      (page) => page.getByRole('heading', { name: 'Today' }).first(),
    ],
    [
      'mark the first activity of today done',
      () => '/today?of=all',
      async (person) => {
        await person.press('ArrowDown');
        await person.press('d');
      },
      (page) => page.getByText('Call back is done.'),
    ],
    [
      'move the first activity of today to tomorrow',
      () => '/today?of=all',
      async (person) => {
        await person.press('ArrowDown');
        await person.press('t');
      },
      (page) => page.getByText('Call back moved to'),
    ],
    [
      'plan the next step when one is done',
      () => `/deals/${deal}`,
      async (person) => {
        await person.page.getByRole('checkbox', { name: 'Done' }).click();
        await person.page.getByRole('dialog').getByLabel('What is to be done').waitFor();
        await person.type('Visit');
        await person.press('Enter');
      },
      (page) => page.locator('.planned').getByText('Visit'),
    ],
    [
      'write a note on a record',
      () => `/contacts/${contact}`,
      async (person) => {
        await person.click(person.page.locator('.timeline').getByRole('button', { name: 'Note' }));
        await person.type('Likes it');
        await person.press('Control+Enter');
      },
      (page) => page.locator('.happening').getByText('Likes it'),
    ],
    [
      'create a contact',
      () => '/contacts',
      async (person) => {
        await person.press('n');
        await person.page.getByRole('dialog').getByLabel('Name', { exact: true }).waitFor();
        await person.type('Bia Souza');
        await person.press('Enter');
      },
      (page) => page.getByRole('heading', { name: 'Bia Souza' }),
    ],
    [
      'move a deal on its page',
      () => `/deals/${deal}`,
      (person) => person.click(person.page.getByRole('button', { name: 'Talks' })),
      (page) => page.getByText('First year moved to Talks.'),
    ],
    [
      'win a deal',
      () => `/deals/${deal}`,
      (person) => person.click(person.page.getByRole('button', { name: 'Won' })),
      (page) => page.getByText('The deal is won.'),
    ],
    [
      'change a field of a record',
      () => `/contacts/${contact}`,
      async (person) => {
        await person.click(person.page.getByRole('button', { name: 'Change Name' }));
        await person.type('Ana Souza');
        await person.press('Enter');
      },
      (page) => page.getByRole('heading', { name: 'Ana Souza' }),
    ],
    [
      'change a field in a list',
      () => '/contacts',
      async (person) => {
        await person.click(person.page.getByRole('button', { name: 'Change E-mail, Ana Lima' }));
        await person.type('ana@example.com');
        await person.press('Enter');
      },
      (page) => page.getByRole('button', { name: 'ana@example.com' }),
    ],
    [
      'give many deals another stage',
      () => '/deals',
      async (person) => {
        const { page } = person;
        await person.click(page.getByRole('checkbox', { name: 'Choose all rows' }));
        const bar = page.getByRole('region', { name: 'What was chosen' });
        await person.choose(bar.getByLabel('Stage'), 'Sales · Talks');
      },
      (page) => page.getByText('Done with 1.'),
    ],
    [
      'take back what was done',
      () => `/deals/${deal}`,
      async (person) => {
        await person.page.getByRole('button', { name: 'Talks' }).click();
        await person.click(person.page.getByRole('button', { name: 'Undo' }));
      },
      (page) => page.getByText('Undone.'),
    ],
    [
      'save the filters of a list as a view',
      () => '/deals?status=open',
      async (person) => {
        await person.click(person.page.getByRole('button', { name: 'Save view' }));
        await person.type('Open deals');
        await person.press('Enter');
      },
      (page) => page.getByRole('link', { name: 'Open deals' }),
    ],
  ];

  test.each(actions)('to %s takes as much as the README says', async (action, path, act, seen) => {
    await planned();
    const { page } = await openAs(browser, service, (await adminOf(account)).email, path());
    await page.setViewportSize({ width: 1280, height: 900 });
    await settled(page);
    await page.locator('.day-part, table, .record, .card, .empty').first().waitFor();
    const person = new Counted(page);
    await act(person);
    await seen(page).waitFor();
    expect([action, person.count]).toEqual([action, said(action)]);
    await page.context().close();
  });

  test('all actions that the README marks are counted here', () => {
    const marked = [...readme.matchAll(/^\| ([^|]+) \| \d+: [^|]+ \| yes \|$/gm)];
    expect(marked.map(([, action]) => action).sort()).toEqual(actions.map(([name]) => name).sort());
  });
});
