/** How many keys and clicks everyday actions of the console take, as its README says. */
import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type World, world } from '../kit/world.ts';
import { Counted, table } from './action_count.ts';
import { adminOf, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('in the console', (scene) => {
  let account: World;
  let contact: number;
  let deal: number;

  beforeEach(async () => {
    account = await world(scene.service);
    contact = (await account.contact({ full_name: 'Ana Lima' })).id;
    deal = (await account.deal({ name: 'First year', contact_id: contact })).id;
  });

  const plan = (scheduled_at = new Date(Date.now() - 3_600_000).toISOString()) =>
    account.rest.post(`/deals/${deal}/events`, {
      kind: 'activity',
      title: 'Call back',
      scheduled_at,
    });
  const withPlan = (path: () => string) => async () => {
    await plan();
    return path();
  };
  const today = withPlan(() => '/today?of=all');
  const ofDeal = () => `/deals/${deal}`;
  const ofContact = () => `/contacts/${contact}`;
  const board = () => `/board?pipeline=${account.pipelineId}`;
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const cards = (page: Page, stage: string) =>
    page.locator('.board-column', { has: page.getByRole('heading', { name: stage }) });
  const menu = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
  const bar = (page: Page) => page.getByRole('region', { name: 'What was chosen' });

  /** Each action: where it begins, what is done, and what is seen then. */
  const actions: readonly (readonly [
    string,
    () => string | Promise<string>,
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
        await person.page.locator('[role=option]', { hasText: 'Ana Lima' }).first().waitFor();
        await person.press('Enter');
      },
      (page) => page.getByRole('heading', { name: 'Ana Lima' }),
    ],
    [
      'go to another page by keys',
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
      (person) => person.click(menu(person.page).getByRole('link', { name: 'Today' })),
      (page) => page.getByRole('heading', { name: 'Today' }).first(),
    ],
    [
      'mark the first activity of today done',
      today,
      (person) => person.click(person.page.getByRole('checkbox').first()),
      (page) => page.getByText('Call back is done.'),
    ],
    [
      'move the first activity of today to tomorrow',
      today,
      (person) => person.click(button(person.page, 'Tomorrow 9:00')),
      (page) => page.getByText('Call back moved to'),
    ],
    [
      'move it to next week',
      today,
      (person) => person.click(button(person.page, 'Next week')),
      (page) => page.getByText('Call back moved to'),
    ],
    [
      'move it by keys',
      today,
      async (person) => {
        await person.press('ArrowDown');
        await person.press('w');
      },
      (page) => page.getByText('Call back moved to'),
    ],
    [
      'plan the next step when one is done',
      withPlan(ofDeal),
      async (person) => {
        await person.page.getByRole('checkbox', { name: 'Done' }).click();
        await person.page.getByRole('dialog').getByLabel('What is to be done').waitFor();
        await person.type('Visit');
        await person.press('Enter');
      },
      (page) => page.locator('.planned').getByText('Visit'),
    ],
    [
      'plan an activity for a deal without one',
      () => '/today?of=all',
      async (person) => {
        await person.click(button(person.page, 'Plan an activity for First year'));
        await person.page.getByRole('dialog').getByLabel('What is to be done').waitFor();
        await person.type('Visit');
        await person.press('Enter');
      },
      (page) => page.getByRole('region', { name: 'Later' }).getByRole('link', { name: 'Visit' }),
    ],
    [
      'open the record of an activity',
      today,
      (person) => person.click(person.page.getByRole('link', { name: 'Call back' })),
      (page) => page.getByRole('heading', { name: 'First year' }),
    ],
    [
      'write a note on a record',
      ofContact,
      async (person) => {
        await person.click(person.page.locator('.timeline').getByRole('button', { name: 'Note' }));
        await person.type('Likes it');
        await person.press('Control+Enter');
      },
      (page) => page.locator('.happening').getByText('Likes it'),
    ],
    [
      'plan an activity on a record',
      ofDeal,
      async (person) => {
        await person.click(
          person.page.locator('.timeline').getByRole('button', { name: 'Activity', exact: true }),
        );
        await person.type('Visit');
        await person.press('Enter');
      },
      (page) => page.locator('.planned').getByText('Visit'),
    ],
    [
      'mark an activity done on a record',
      withPlan(ofDeal),
      (person) => person.click(person.page.getByRole('checkbox', { name: 'Done' })),
      (page) => page.getByRole('dialog', { name: 'What comes next with First year?' }),
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
      'create a deal of a contact that exists',
      () => '/deals',
      async (person) => {
        await person.press('n');
        await person.page.getByRole('combobox', { name: 'Contact' }).waitFor();
        await person.pick('lima');
        await person.press('Enter');
      },
      (page) => page.getByRole('heading', { name: 'Deal with Ana Lima' }),
    ],
    [
      'create a deal in a stage',
      board,
      async (person) => {
        await person.click(button(person.page, 'New deal in Talks'));
        await person.pick('lima');
        await person.press('Enter');
      },
      (page) => page.locator('[aria-current=step]:text-is("Talks")'),
    ],
    [
      'move a deal to the next stage by mouse',
      board,
      (person) =>
        person.drag(person.page.locator(`[data-deal="${deal}"]`), cards(person.page, 'Talks')),
      (page) => page.getByText('First year moved to Talks.'),
    ],
    [
      'move a deal to the next stage by keys',
      board,
      async (person) => {
        await button(person.page, 'Move First year').focus();
        await person.press('Space');
        await person.page.getByText('First year taken up.').waitFor({ state: 'attached' });
        await person.press('ArrowRight');
        await person.page.getByText('Talks, 1 of 1').waitFor({ state: 'attached' });
        await person.press('Space');
      },
      (page) => page.getByText('First year moved to Talks.'),
    ],
    [
      'move a deal on its page',
      ofDeal,
      (person) => person.click(person.page.getByRole('button', { name: 'Talks' })),
      (page) => page.getByText('First year moved to Talks.'),
    ],
    [
      'win a deal',
      ofDeal,
      (person) => person.click(person.page.getByRole('button', { name: 'Won' })),
      (page) => page.getByText('The deal is won.'),
    ],
    [
      'lose a deal with a reason',
      ofDeal,
      async (person) => {
        await person.click(button(person.page, 'Lost'));
        await person.page.getByRole('dialog').getByLabel('Reason').waitFor();
        await person.type('Too dear');
        await person.press('Control+Enter');
      },
      (page) => page.getByText('The deal is lost.'),
    ],
    [
      'change a field of a record',
      ofContact,
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
      'choose rows that stand together',
      async () => {
        for (const name of ['Second', 'Third']) await account.deal({ name, contact_id: contact });
        return '/deals';
      },
      async (person) => {
        const { page } = person;
        await person.click(page.getByRole('checkbox', { name: 'Choose Third' }));
        const last = page.getByRole('checkbox', { name: 'Choose First year' });
        await person.click(last, { modifiers: ['Shift'] });
      },
      (page) => bar(page).getByText('3 chosen'),
    ],
    [
      'give many deals another stage',
      () => '/deals',
      async (person) => {
        const { page } = person;
        await person.click(page.getByRole('checkbox', { name: 'Choose all rows' }));
        await person.choose(bar(page).getByLabel('Stage'), 'Sales · Talks');
      },
      (page) => page.getByText('Done with 1.'),
    ],
    [
      'put a label on many contacts',
      () => '/contacts',
      async (person) => {
        const { page } = person;
        await person.click(page.getByRole('checkbox', { name: 'Choose all rows' }));
        await person.click(bar(page).getByRole('button', { name: 'Add label' }));
        await page.getByRole('dialog').getByLabel('Label').waitFor();
        await person.type('vip');
        await person.press('Enter');
      },
      (page) => page.getByText('Done with 1.'),
    ],
    [
      'take back what was done',
      ofDeal,
      async (person) => {
        await person.page.getByRole('button', { name: 'Talks' }).click();
        await person.click(person.page.getByRole('button', { name: 'Undo' }));
      },
      (page) => page.getByText('Undone.'),
    ],
    [
      'see the deals that somebody works on',
      async () => {
        const user_id = (await account.user({ full_name: 'Bruno Reis' })).id;
        const other = await account.deal({ name: 'Of Bruno', contact_id: contact });
        await account.rest.post('/deal_assignees', { deal_id: other.id, user_id });
        return '/deals';
      },
      (person) => person.choose(person.page.getByLabel('Owner'), 'Bruno Reis'),
      (page) =>
        page.locator('tbody:not(:has-text("First year"))').getByRole('link', { name: 'Of Bruno' }),
    ],
    [
      'save the filters of a list as a view',
      () => '/deals?status=open',
      async (person) => {
        await person.click(person.page.getByRole('button', { name: 'Save view' }));
        await person.type('Open deals');
        await person.press('Enter');
      },
      (page) => menu(page).getByRole('link', { name: 'Open deals' }),
    ],
    [
      'open a saved view',
      async () => {
        await account.deal({ name: 'Signed', contact_id: contact, status: 'won' });
        const input = {
          list: 'deals',
          name: 'Open deals',
          shared: true,
          filters: { status: 'open' },
          query: { status_eq: 'open' },
        };
        await account.graphql.data(
          `mutation ($account_id: Integer!, $input: SavedViewInput!) {
            create_saved_view(account_id: $account_id, input: $input) { id }
          }`,
          { account_id: account.accountId, input },
        );
        return '/deals';
      },
      (person) => person.click(menu(person.page).getByRole('link', { name: 'Open deals' })),
      (page) =>
        page.locator('tbody:not(:has-text("Signed"))').getByRole('link', { name: 'First year' }),
    ],
    [
      'export what a list shows',
      () => '/deals',
      async (person) => {
        const file = person.page.waitForEvent('download');
        await person.click(person.page.getByRole('button', { name: 'Spreadsheet' }));
        const path = await (await file).path();
        expect(readFileSync(path, 'utf8')).toContain('First year');
      },
      (page) => page.getByRole('heading', { name: 'Deals' }),
    ],
  ];

  test.each(actions)('to %s takes as much as the README says', async (action, from, act, seen) => {
    const path = await from();
    const { page } = await openAs(scene, (await adminOf(account)).email, path);
    await page.setViewportSize({ width: 1280, height: 900 });
    await settled(page);
    await page.locator('.day-part, table, .record, .card, .board-column, .empty').first().waitFor();
    const person = new Counted(page);
    await act(person);
    await seen(page).waitFor();
    const { here } = table.find((row) => row.action === action) ?? {};
    expect([action, person.count]).toEqual([action, here]);
    await page.context().close();
  });

  test('every action of the README is performed here', () => {
    expect(actions.map(([name]) => name)).toEqual(table.map(({ action }) => action));
  });
});

test('the README lists thirty actions, none of which takes more than with the best of the four', () => {
  expect(table.length).toBeGreaterThanOrEqual(30);
  expect(table.filter(({ here, best }) => here > best)).toEqual([]);
});
