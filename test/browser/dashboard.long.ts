import { beforeAll, expect, test } from '@jest/globals';
import { type World, world } from '../kit/world.ts';
import { adminOf, openAs } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('the dashboard, in a browser', (scene) => {
  let account: World;

  beforeAll(async () => {
    account = await world(scene.service);
    const won = await account.deal({ name: 'Won one', stage_id: account.stageIds[1] });
    const product = await account.product({ name: 'Annual plan', amount_in_cents: 120000 });
    await account.dealProduct({ deal_id: won.id, product_id: product.id, quantity: 2 });
    await account.updateDeal(won.id, { status: 'won' });
    await account.deal({ name: 'Open one' });
  });

  const show = async (path: string) => openAs(scene, (await adminOf(account)).email, path);

  test('shows figures that filters in the address choose, and their numbers as tables', async () => {
    const { page, complaints } = await show('/');
    await page.waitForURL('**/console/dashboard');
    const tile = page.locator('.tiles div', { hasText: 'Amount won' });
    await tile.getByText('2,400.00').waitFor();
    const products = page.locator('.figure', { hasText: 'Top products' });
    await products.getByText('Numbers as a table').click();
    expect(await products.getByRole('row').allInnerTexts()).toEqual([
      'Product\tQuantity\tAmount',
      'Annual plan\n\t2\t2,400.00',
    ]);

    const funnel = page.locator('.figure', { hasText: 'Funnel' });
    const reached = await funnel.locator('.bar-value').allInnerTexts();
    expect(reached).toEqual(['2, 50% went on', '1, 0% went on', '0']);
    await page.getByLabel('Pipeline').selectOption({ label: 'Partners' });
    await tile.getByText('0.00', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe(`?pipeline=${account.other.pipelineId}`);
    await page.reload();
    await tile.getByText('0.00', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('changes by itself when somebody changes a deal', async () => {
    const { page, complaints } = await show('/dashboard');
    const tile = page.locator('.tiles div', { hasText: 'Open' }).first();
    await tile.getByText('1 deal').waitFor();
    await account.deal({ name: 'Another' });
    await tile.getByText('2 deals').waitFor();
    const stages = page.locator('.figure', { hasText: 'Open by stage' });
    await stages.getByText('Numbers as a table').click();
    await stages.getByRole('cell', { name: '2', exact: true }).waitFor();
    // What is open has no products yet; of the deals that reached its stage all were won.
    expect(await stages.getByRole('row').nth(1).innerText()).toBe('New\n\t2\t0.00\t0.00');
    expect(complaints).toEqual([]);
  });

  test('without a pipeline says what to do, to an admin and to a member', async () => {
    const fresh = await world(scene.service);
    for (const id of [fresh.pipelineId, fresh.other.pipelineId]) {
      expect(await fresh.rest.delete(`/pipelines/${id}`)).toAnswer(204);
    }
    const member = await fresh.user();
    const admin = await adminOf(fresh);
    const { page: ofMember } = await openAs(scene, member.email, '/dashboard');
    await ofMember.getByText('An admin of your account can create one.').waitFor();
    const { page, complaints } = await openAs(scene, admin.email, '/dashboard');
    await page.getByRole('heading', { name: 'There is no pipeline yet' }).waitFor();
    await page.getByRole('button', { name: 'Create “Sales” with' }).click();
    await page.getByRole('heading', { name: 'No deals yet' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('leads to GraphiQL with the query behind a chart, which runs there by the same cookie', async () => {
    const { page, complaints } = await show('/dashboard');
    await page.getByRole('button', { name: 'Show GraphQL queries' }).click();
    await page.getByRole('link', { name: 'GraphQL query: Open by stage' }).click();
    await page.locator('.graphiql-query-editor').getByText('OpenByStage').waitFor();
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.result-window').getByText('sum_in_cents').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('an address brings GraphiQL no mutation', async () => {
    const { page } = await show('/dashboard');
    const query = 'mutation { delete_contact(account_id: 1, id: 1) { id } }';
    await page.goto(`${scene.service.url}/graphiql#${new URLSearchParams({ query })}`);
    await page.locator('.graphiql-query-editor').getByText('contacts').first().waitFor();
    expect(await page.locator('.graphiql-query-editor').innerText()).not.toContain(
      'delete_contact',
    );
  });
});
