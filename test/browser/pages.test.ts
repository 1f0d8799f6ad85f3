import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';
import { hasChromium, launch, open } from './chromium.ts';

const suite = hasChromium() ? describe : describe.skip;

suite('in a browser', () => {
  let service: Service;
  let account: World;
  let browser: Browser;

  beforeAll(async () => {
    service = await startService();
    account = await world(service);
    browser = await launch();
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  test('GraphiQL runs a query with a pasted token and shows the contact', async () => {
    await account.contact({ full_name: 'Zoë Browser' });
    const { page, complaints } = await open(browser, `${service.url}/graphiql`);
    const query = page.locator('.graphiql-query-editor .CodeMirror');
    const tools = page.locator('.graphiql-editor-tool');
    const variables = tools.locator('.CodeMirror').first();
    const headers = tools.locator('.CodeMirror').last();
    await query.getByText('query', { exact: true }).first().waitFor();
    expect(await headers.innerText()).toContain('{"Authorization": "Bearer "}');

    await headers.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.insertText(account.member.token);
    await page.getByRole('button', { name: 'Variables' }).click();
    await variables.click();
    await page.keyboard.insertText(`{"account_id": ${account.accountId}}`);
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('menuitem', { name: 'contacts', exact: true }).click();
    await page.locator('.result-window').getByText('Zoë Browser').waitFor();

    await page.getByRole('button', { name: 'Documentation Explorer' }).click();
    await page.getByText('Root Types').waitFor();
    expect(await page.getByRole('link', { name: 'REST documentation' }).getAttribute('href')).toBe(
      '/docs',
    );
    expect(complaints).toEqual([]);
  }, 60_000);

  /** Opens the documentation and gives it a token. */
  async function openDocs(): Promise<{ page: Page; complaints: readonly string[] }> {
    const watched = await open(browser, `${service.url}/docs`);
    const { page } = watched;
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = page.locator('.auth-container');
    await dialog.locator('input').fill(account.member.token);
    await dialog.locator('.auth-btn-wrapper .authorize').click();
    await dialog.locator('.btn-done').click();
    return watched;
  }

  /** Tries an operation out, with path parameters; waits for its 200. */
  async function tryOut(page: Page, operationId: string, parameters: object): Promise<Locator> {
    const operation = page.locator(`[id$="-${operationId}"].opblock`);
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    for (const [name, value] of Object.entries(parameters)) {
      await operation.locator(`tr[data-param-name=${name}] input`).fill(String(value));
    }
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table');
    await answer.locator('.response-col_status', { hasText: '200' }).first().waitFor();
    return answer;
  }

  test('the documentation authorizes and tries an operation out', async () => {
    const contact = await account.contact({ full_name: 'Zoë Documented' });
    const { page, complaints } = await openDocs();
    const place = { account_id: account.accountId, id: contact.id };
    const answer = await tryOut(page, 'contact', place);
    expect(await answer.innerText()).toContain('Zoë Documented');
    expect(complaints).toEqual([]);
  }, 60_000);

  test.each(['contacts', 'get_contacts'])(
    'the documentation tries the search %s out',
    async (id) => {
      await account.contact({ full_name: 'Dan Searched' });
      const { page, complaints } = await openDocs();
      const answer = await tryOut(page, id, { account_id: account.accountId });
      // The documented example looks for names with "an" in them.
      expect(await answer.innerText()).toContain('Dan Searched');
      expect(complaints).toEqual([]);
    },
    60_000,
  );
});
