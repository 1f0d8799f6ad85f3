import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type World, world } from '../kit/world.ts';
import { open, type Watched } from './chromium.ts';
import { openAs } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('in a browser', (scene) => {
  let account: World;

  beforeAll(async () => {
    account = await world(scene.service);
  });

  /** Has GraphiQL run its example of contacts in the account. */
  async function runContacts(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Variables' }).click();
    await page.locator('.graphiql-editor-tool .CodeMirror').first().click();
    await page.keyboard.insertText(`{"account_id": ${account.accountId}}`);
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('menuitem', { name: 'contacts', exact: true }).click();
  }

  test('GraphiQL asks as whoever is signed in at the console while no token is filled in', async () => {
    await account.contact({ full_name: 'Zoë Cookie' });
    const { email } = await account.user();
    const { page, complaints } = await openAs(scene, email, '/profile');
    await page.goto(`${scene.service.url}/graphiql`);
    await runContacts(page);
    await page.locator('.result-window').getByText('Zoë Cookie').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('GraphiQL runs a query with a pasted token and shows the contact', async () => {
    await account.contact({ full_name: 'Zoë Browser' });
    const { page, complaints } = await open(scene.browser, `${scene.service.url}/graphiql`);
    const query = page.locator('.graphiql-query-editor .CodeMirror');
    const tools = page.locator('.graphiql-editor-tool');
    const headers = tools.locator('.CodeMirror').last();
    await query.getByText('query', { exact: true }).first().waitFor();
    expect(await headers.innerText()).toContain('{"Authorization": "Bearer "}');

    await headers.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.insertText(account.member.token);
    await runContacts(page);
    await page.locator('.result-window').getByText('Zoë Browser').waitFor();

    await page.getByRole('button', { name: 'Documentation Explorer' }).click();
    await page.getByText('Root Types').waitFor();
    expect(await page.getByRole('link', { name: 'REST documentation' }).getAttribute('href')).toBe(
      '/docs',
    );
    expect(complaints).toEqual([]);
  });

  test('the first page asks who somebody is, and leads to the others', async () => {
    const { page, complaints } = await open(scene.browser, scene.service.url);
    for (const [name, path] of [
      ['REST documentation', '/docs'],
      ['GraphiQL', '/graphiql'],
    ] as const) {
      await page.goto(scene.service.url);
      await page.waitForURL('**/console/sign-in?next=%2F');
      await page.getByRole('link', { name, exact: true }).click();
      await page.waitForURL(`**${path}`);
    }
    expect(complaints).toEqual([]);
  });

  test('GraphiQL says what to do without a token, and keeps one where that is asked for', async () => {
    const { page } = await open(scene.browser, `${scene.service.url}/graphiql`);
    const headers = page.locator('.graphiql-editor-tool .CodeMirror').last();
    const run = async () => {
      await page.locator('.graphiql-execute-button').click();
      await page.getByRole('menuitem', { name: 'pipelines', exact: true }).click();
    };
    await page.getByText('Put a token after').first().waitFor();
    await run();
    await page.locator('.result-window').getByText('what_to_do').waitFor();
    expect(await page.locator('.result-window').innerText()).toContain('crm -- token create');

    await headers.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.insertText(account.member.token);
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('button', { name: 'On', exact: true }).click();
    await page.keyboard.press('Escape');
    // It is written to the browser's storage when nothing was typed for a while.
    await page.waitForFunction(
      'Object.values(localStorage).some((kept) => kept.includes("Bearer ey"))',
    );
    await page.reload();
    await headers.getByText(account.member.token).waitFor();
  });

  // It is drawn anew whenever it is opened, which takes seconds.
  describe('the documentation', () => {
    let docs: Watched;
    let page: Page;

    beforeAll(async () => {
      docs = await open(scene.browser, `${scene.service.url}/docs`);
      page = docs.page;
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      const dialog = page.locator('.auth-container');
      await dialog.locator('input').fill(account.member.token);
      await dialog.locator('.auth-btn-wrapper .authorize').click();
      await dialog.locator('.btn-done').click();
      await page.reload();
      await page.locator('.opblock').first().waitFor();
    });

    afterEach(() => expect(docs.complaints).toEqual([]));

    const filter = () => page.locator('.operation-filter-input');

    /** Tries an operation out, with path parameters; waits for its 200. */
    async function tryOut(operationId: string, parameters: object): Promise<Locator> {
      await filter().fill('');
      const operation = page.locator(`[id$="-${operationId}"].opblock`);
      await operation.locator('.opblock-summary-control').click();
      for (const [name, value] of Object.entries(parameters)) {
        await operation.locator(`tr[data-param-name=${name}] input`).fill(String(value));
      }
      await operation.getByRole('button', { name: 'Execute' }).click();
      const answer = operation.locator('.live-responses-table');
      await answer.locator('.response-col_status', { hasText: '200' }).first().waitFor();
      return answer;
    }

    test('shows endpoints right behind the guides: what is long is folded', async () => {
      await filter().fill('');
      await page.evaluate('scrollTo(0, 0)');
      const first = page.locator('.opblock').first();
      expect(await first.evaluate((block) => block.getBoundingClientRect().bottom)).toBeLessThan(
        1000,
      );
      const predicate = page.getByText('not_start_any', { exact: true });
      expect(await predicate.isVisible()).toBe(false);
      await page.getByText('All predicates').click();
      expect(await predicate.isVisible()).toBe(true);
      await page.getByText('All predicates').click();
    });

    test('finds endpoints by words, and says when there are none', async () => {
      await filter().fill('Post /upsert DEAL');
      await page.locator('.opblock').nth(1).waitFor({ state: 'detached' });
      expect(await page.locator('.opblock').innerText()).toContain('/deals/upsert');
      await filter().fill('no such thing');
      await page.getByRole('status').waitFor();
      expect(await page.getByRole('status').innerText()).toBe(
        'No endpoint has all of these words.',
      );
    });

    test('tries an operation out', async () => {
      const contact = await account.contact({ full_name: 'Zoë Documented' });
      const answer = await tryOut('contact', { account_id: account.accountId, id: contact.id });
      expect(await answer.innerText()).toContain('Zoë Documented');
    });

    test.each(['contacts', 'get_contacts'])('tries the search %s out', async (id) => {
      await account.contact({ full_name: 'Dan Searched' });
      const answer = await tryOut(id, { account_id: account.accountId });
      // The documented example looks for names with "an" in them.
      expect(await answer.innerText()).toContain('Dan Searched');
    });

    test('keeps the token over a reload, and Authorize in sight', async () => {
      await tryOut('pipelines', { account_id: account.accountId });
      const authorize = page.getByRole('button', { name: 'Authorize' });
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      expect(
        await authorize.evaluate((button) => button.getBoundingClientRect().top),
      ).toBeGreaterThan(0);
      expect(await authorize.getAttribute('class')).toContain('locked');
    });
  });
});
