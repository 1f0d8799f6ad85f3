/** Deals with which nothing was done for days, or for which nothing is planned, in the console's list. */
import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import type { Download, Page } from 'playwright-core';
import { readCsv } from '../kit/csv.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';
import { patienceMs } from './chromium.ts';
import { adminOf, expectAccessible, expectWithin, openAs, settled } from './console.ts';
import { browserSuite } from './suite.ts';

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const clock = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);

browserSuite('in the console, deals that rest', (scene) => {
  let account: World;

  beforeEach(async () => {
    account = await world(scene.service);
    const contact_id = (await account.contact({ full_name: 'Ana Lima' })).id;
    const done = (days: number) => ({ kind: 'activity', title: 'Call', done_at: day(-days) });
    const planned = { kind: 'activity', title: 'Send the offer', scheduled_at: day(3) };
    const events: Readonly<Record<string, readonly object[]>> = {
      'Never touched': [],
      'Called lately': [done(3), done(30)],
      'Called once': [done(20)],
      'Planned again': [done(40), planned],
    };
    for (const [name, written] of Object.entries(events)) {
      const { id } = await account.deal({ name, contact_id });
      await account.rest.post('/events/batch', {
        operation: 'create',
        records: written.map((event) => ({ ...event, deal_id: id })),
      });
    }
    await scene.service.database.query(
      "UPDATE deals SET created_at = now() - interval '60 days' WHERE account_id = $1",
      [account.accountId],
    );
    await account.deal({ name: 'New today', contact_id });
    const won = await account.deal({ name: 'Won today', contact_id });
    await account.updateDeal(won.id, { status: 'won' });
  });

  const show = async (path: string, email?: string) => {
    const watched = await openAs(scene, email ?? (await adminOf(account)).email, path);
    await watched.page.setViewportSize({ width: 1280, height: 900 });
    await settled(watched.page);
    return watched;
  };
  const names = (page: Page) => page.locator('tbody td:nth-child(2) a').allInnerTexts();
  const expectNames = async (page: Page, ...wanted: readonly string[]) => {
    await until(
      () => names(page),
      (found) => found.join() === wanted.join(),
      patienceMs,
    ).catch(() => undefined);
    expect(await names(page)).toEqual(wanted);
  };
  const rowsOf = async (coming: Promise<Download>) =>
    readCsv(readFileSync(await (await coming).path(), 'utf8').replace('\uFEFF', ''));

  test('are found by days and by what is planned, sorted, and taken along in both forms', async () => {
    const { page, complaints } = await show('/deals?columns=name,activity,step&sort=name+asc');
    await page.getByLabel('Nothing done for (days)').fill('14');
    await expectNames(page, 'Called once', 'Never touched', 'Planned again');
    expect(await page.getByLabel('Status').inputValue()).toBe('open');
    await page.getByRole('button', { name: 'Last activity' }).click();
    await expectNames(page, 'Planned again', 'Called once', 'Never touched');
    await page.getByRole('button', { name: 'Next step' }).click();
    await expectNames(page, 'Planned again', 'Never touched', 'Called once');
    const cells = page.locator('tbody tr').first().locator('td:not(.choice)');
    expect(await cells.allInnerTexts()).toEqual([
      'Planned again',
      expect.stringMatching(/\d/),
      expect.stringMatching(/\d.* · Send the offer$/),
    ]);
    const sheet = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Spreadsheet' }).click();
    expect(await rowsOf(sheet)).toEqual([
      ['Name', 'Last activity', 'Next step'],
      [
        'Planned again',
        clock,
        expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d · Send the offer$/),
      ],
      ['Never touched', '', ''],
      ['Called once', clock, ''],
    ]);
    const exported = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Raw data' }).click();
    const [, ...rows] = await rowsOf(exported);
    expect(rows.map(([, name]) => name)).toEqual(['Planned again', 'Never touched', 'Called once']);
    await page.getByLabel('Next step').selectOption({ label: 'Nothing planned' });
    await expectNames(page, 'Never touched', 'Called once');
    await page.getByLabel('Nothing done for (days)').fill('');
    await expectNames(page, 'Never touched', 'Called lately', 'Called once', 'New today');
    expect(complaints).toEqual([]);
  });

  test('are a view that stays true, for members as well, and all of it is changed at once', async () => {
    const { page, complaints } = await show('/deals?idle=14&status=open&sort=name+asc');
    await expectNames(page, 'Called once', 'Never touched', 'Planned again');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Asleep');
    await page.getByLabel('Share with everybody').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const views = page.getByRole('navigation', { name: 'Views', exact: true });
    await views.getByRole('link', { name: 'Asleep' }).waitFor();
    const { saved_views } = await account.graphql.data<{ saved_views: { query: object }[] }>(
      'query ($account_id: Integer!) { saved_views(account_id: $account_id) { query } }',
      { account_id: account.accountId },
    );
    const found = await account.graphql.data(
      'query ($a: Integer!, $query: SearchQuery) { deals(account_id: $a, query: $query) { data { name } } }',
      { a: account.accountId, query: saved_views[0]?.query },
    );
    const data = ['Called once', 'Never touched', 'Planned again'].map((name) => ({ name }));
    expect(found).toEqual({ deals: { data } });

    await page.getByRole('checkbox', { name: 'Choose all rows of this page' }).click();
    const bar = page.getByRole('region', { name: 'What was chosen' });
    await bar.getByLabel('Stage').selectOption({ label: 'Sales · Offer' });
    await page.getByText('Done with 3.').waitFor();
    expect(complaints).toEqual([]);

    const { email } = await account.user({ full_name: 'Bruno Reis' });
    const colleague = await show('/deals', email);
    await colleague.page
      .getByRole('list', { name: 'Views: Deals' })
      .getByRole('link', { name: 'Asleep' })
      .click();
    await expectNames(colleague.page, 'Called once', 'Never touched', 'Planned again');
    expect(await colleague.page.locator('tbody').getByText('Offer').count()).toBe(3);
    expect(colleague.complaints).toEqual([]);
  });

  test.each([
    ['en', 'Nothing done for (days)', 'Last activity', 'Next step'],
    ['de', 'Nichts getan seit (Tagen)', 'Letzte Aktivität', 'Nächster Schritt'],
    ['es', 'Nada hecho en (días)', 'Última actividad', 'Próximo paso'],
    ['pt-BR', 'Nada feito há (dias)', 'Última atividade', 'Próximo passo'],
  ])(
    'are told of in %s, within the page and for everybody',
    async (language, label, last, next) => {
      const { email } = await account.user({ language, full_name: 'Vera Boss' });
      const { page, complaints } = await show('/deals?idle=14&columns=name,activity,step', email);
      await page.getByLabel(label).waitFor();
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await expectAccessible(page);
          await expectWithin(page);
        }
      }
      const titles = await page.locator('thead th:not(.choice)').allTextContents();
      expect(titles.slice(1)).toEqual([last, next]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );
});
