import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { readCsv } from '../kit/csv.ts';
import type { Contact, Deal, Event } from '../kit/records.ts';
import { type World, world } from '../kit/world.ts';
import { adminOf, expectAccessible, expectWithin, openAs, password } from './console.ts';
import { browserSuite } from './suite.ts';

browserSuite('an import, in a browser', (scene) => {
  let account: World;

  beforeAll(async () => {
    account = await world(scene.service);
  });

  const show = async () => {
    const { email } = await account.user({ password, password_confirmation: password });
    return openAs(scene, email, '/import');
  };

  const fileOf = (text: string) => ({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(text, 'latin1'),
  });

  test('a file is mapped, checked and imported, and what was refused comes back', async () => {
    const { page, complaints } = await show();
    const rows = Array.from({ length: 300 }, (_, at) => `Jos\xe9 ${at};j${at}@x.test;Recife\n`);
    const file = fileOf(`Nome;E-mail;Cidade\n${rows.join('')}Falsa;falsa;\n`);
    await page.getByLabel('File').setInputFiles(file);
    const city = page.getByLabel('What Cidade becomes');
    await page.getByText('José 0 · José 1 · José 2').waitFor();
    expect(await page.getByLabel('What Nome becomes').inputValue()).toBe('full_name');
    expect(await city.inputValue()).toBe('');
    await city.selectOption('custom_attributes.Cidade');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Checked. 300 would be created, 0 changed, 1 refused.').waitFor();
    await page.getByText('E-mail: Is not valid.').waitFor();
    expect(await account.count('contacts')).toBe(0);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectWithin(page);

    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported. 300 created, 0 changed, 1 refused.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download refused rows' }).click(),
    ]);
    const report = await readFile(await download.path(), 'utf8');
    expect(readCsv(report.slice(1))).toEqual([
      ['Nome', 'E-mail', 'Cidade', 'row', 'errors'],
      ['Falsa', 'falsa', '', '302', 'Email is invalid'],
    ]);
    const query = { email_eq: 'j299@x.test' };
    const { body } = await account.rest.post<{ data: Contact[] }>('/contacts/search', { query });
    expect(body.data).toEqual([
      expect.objectContaining({ full_name: 'José 299', custom_attributes: { Cidade: 'Recife' } }),
    ]);
    expect(complaints).toEqual([]);
  });

  test('a file that does not show its encoding is read in the one that is chosen', async () => {
    const { page } = await show();
    await page.getByLabel('File').setInputFiles(fileOf('Nome\n\xa3ukasz\n'));
    await page.getByText('£ukasz').waitFor();
    await page.getByLabel('Encoding').selectOption('windows-1250');
    await page.getByText('Łukasz').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported. 1 created, 0 changed, 0 refused.').waitFor();
    const query = { full_name_eq: 'Łukasz' };
    const { body } = await account.rest.post<{ data: Contact[] }>('/contacts/search', { query });
    expect(body.data).toHaveLength(1);
  });

  test('a deal finds its contact by the e-mail, however that is written, and names one that is nobody', async () => {
    const { page } = await show();
    const { id } = await account.contact({ email: 'grace@x.test' });
    await page.getByLabel('What the rows are').selectOption('deals');
    const file = fileOf(
      'Deal,Stage,Contact email\nShips,new, Grace@X.test \nPlanes,New,no@x.test\n',
    );
    await page.getByLabel('File').setInputFiles(file);
    const parent = page.getByLabel('What Contact email becomes');
    expect(await parent.inputValue()).toBe('contact.email');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported. 1 created, 0 changed, 1 refused.').waitFor();
    const query = { name_in: ['Ships', 'Planes'] };
    const { body } = await account.rest.post<{ data: Deal[] }>('/deals/search', { query });
    expect(body.data).toEqual([expect.objectContaining({ name: 'Ships', contact_id: id })]);
  });

  test('statuses in other languages, columns without a field and reasons for people; all of it is undone', async () => {
    const other = await world(scene.service);
    const { id } = await other.contact({ email: 'grace@x.test' });
    await other.deal();
    const { page } = await openAs(scene, (await adminOf(other)).email, '/import');
    await page.getByLabel('What the rows are').selectOption('deals');
    await page
      .getByLabel('File')
      .setInputFiles(
        fileOf(
          'Deal;Stage;Status;Email;Branche\nShips;New;gewonnen;grace@x.test;Handel\nPlanes;New;offen;no@x.test;\nCars;New;maybe;grace@x.test;\n',
        ),
      );
    await page.getByRole('button', { name: 'Keep the other columns as custom' }).click();
    const branch = page.getByLabel('What Branche becomes');
    expect(await branch.inputValue()).toBe('custom_attributes.Branche');
    // As wide as what is chosen, with its arrow.
    expect((await branch.boundingBox())?.width).toBeGreaterThan(240);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported. 1 created, 0 changed, 2 refused.').waitFor();
    await page.getByText('Contact: E-mail: There is none: no@x.test.').waitFor();
    await page.getByText('Status: Must be one of: open, won, lost.').waitFor();
    const search = { query: { name_eq: 'Ships' } };
    const made = await other.rest.post<{ data: Deal[] }>('/deals/search', search);
    expect(made.body.data).toEqual([
      expect.objectContaining({
        status: 'won',
        contact_id: id,
        custom_attributes: { Branche: 'Handel' },
      }),
    ]);
    await page.getByRole('link', { name: 'Undo this import' }).click();
    await page.getByRole('button', { name: 'See what would happen' }).click();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
    await page.locator('.notice.good').waitFor();
    const gone = await other.rest.post<{ data: Deal[] }>('/deals/search', search);
    expect(gone.body.data).toEqual([]);
  });

  test('rows of deals bring their products, and one whose product is nobody’s makes no deal', async () => {
    const other = await world(scene.service);
    await other.contact({ email: 'ana@x.test' });
    await other.product({ name: 'Sensor', amount_in_cents: 300 });
    const { email } = await other.user({ language: 'pt-BR' });
    const { page, complaints } = await openAs(scene, email, '/import');
    await page.getByLabel('O que são as linhas').selectOption('deals');
    const rows = [
      'Neg\xf3cio;Etapa;E-mail;Produto;Quantidade;Pre\xe7o unit\xe1rio',
      'Um;New;ana@x.test;Sensor;2;1.234,50',
      'Dois;New;ana@x.test;Cabo;0;',
      'Quatro;New;ana@x.test;Sensor;1,5;12k',
      'Tr\xeas;New;ana@x.test;Sensor;2;90071992547409,91',
    ];
    await page.getByLabel('Arquivo').setInputFiles(fileOf(rows.join('\n')));
    const price = page.getByLabel('O que Preço unitário se torna');
    expect(await price.inputValue()).toBe('unit_amount');
    expect(await price.locator('option').allTextContents()).toEqual(
      expect.arrayContaining(['Produto: Identificador', 'Produto: Nome', 'Quantidade', 'Preço']),
    );
    const product = page.getByLabel('O que Produto se torna');
    await product.selectOption('');
    await page.getByRole('button', { name: 'Importar', exact: true }).click();
    await page.getByText('Quantidade é de um produto: escolha também a coluna').waitFor();
    await product.selectOption('product.name');
    await page.getByRole('button', { name: 'Importar', exact: true }).click();
    await page.getByText('Produto: Nome: Não existe: Cabo.').waitFor();
    await page.getByText('Quantidade: Deve ser 1 ou mais.').waitFor();
    const numbers =
      'Quantidade: Deve ser um número inteiro. Preço: Deve ser um valor como 1234,56.';
    await page.getByText(numbers).waitFor();
    await page
      .getByText('O negócio foi salvo, mas o seu produto não: Quantidade: Torna o total')
      .waitFor();
    await expectAccessible(page);
    const search = { query: { s: 'id' } };
    const { body } = await other.rest.post<{ data: Deal[] }>('/deals/search', search);
    expect(
      body.data.map(({ name, total_deal_products_amount_in_cents: total }) => [name, total]),
    ).toEqual([
      ['Um', 246_900],
      ['Três', 0],
    ]);
    expect(complaints).toEqual([]);
  });

  test('days with slashes are read in the order of the person, or the one that is chosen', async () => {
    const other = await world(scene.service);
    await other.contact({ email: 'ana@x.test' });
    const { page } = await openAs(scene, (await adminOf(other)).email, '/import');
    await page.getByLabel('What the rows are').selectOption('events');
    const rows = [
      'Kind;Title;Due date;Email',
      'Activity;Spring;03/04/2026;ana@x.test',
      'Activity;Winter;31/02/2026;ana@x.test',
    ];
    await page.getByLabel('File').setInputFiles(fileOf(rows.join('\n')));
    const days = page.getByLabel('Days are written');
    expect(await days.inputValue()).toBe('month-first');
    const due = page.getByLabel('What Due date becomes');
    await due.selectOption('');
    await days.waitFor({ state: 'detached' });
    await due.selectOption('scheduled_at');
    await days.selectOption('day-first');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Checked. 1 would be created, 0 changed, 1 refused.').waitFor();
    await expectAccessible(page);
    await days.selectOption('month-first');
    await page.getByText('Checked.').waitFor({ state: 'detached' });
    await days.selectOption('day-first');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported. 1 created, 0 changed, 1 refused.').waitFor();
    await page.getByText('When: Is not a day: 31/02/2026.').waitFor();
    const { body } = await other.rest.post<{ data: Event[] }>('/events/search', { query: {} });
    expect(body.data.map(({ title, scheduled_at }) => ({ title, scheduled_at }))).toEqual([
      { title: 'Spring', scheduled_at: '2026-04-03T00:00:00.000Z' },
    ]);
  });

  test('in other languages the day comes first', async () => {
    const other = await world(scene.service);
    const { email } = await other.user({ language: 'de' });
    const { page } = await openAs(scene, email, '/import');
    await page.getByLabel('Was die Zeilen sind').selectOption('deals');
    await page.getByLabel('Datei').setInputFiles(fileOf('Deal;Gewonnen am\nShips;03/04/2026\n'));
    expect(await page.getByLabel('Schreibweise der Tage').inputValue()).toBe('day-first');
  });

  test('what cannot be read or mapped is said, and a pause or a lost connection loses nothing', async () => {
    const { page } = await show();
    await page.getByLabel('What the rows are').selectOption('deals');
    await page.getByLabel('File').setInputFiles(fileOf('Deal,Stage\n"One,New\n'));
    await page.getByText('Row 2 opens a quote that nothing closes').waitFor();
    const rows = Array.from({ length: 600 }, (_, at) => `Deal ${at},New,ana@x.test\n`);
    await page.getByLabel('File').setInputFiles(fileOf(`Deal,Stage,Email\n${rows.join('')}`));
    await account.contact({ email: 'ana@x.test' });
    await page.getByLabel('What Deal becomes').selectOption('status');
    await page.getByLabel('What Stage becomes').selectOption('status');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Two columns become Status.').waitFor();
    await page.getByLabel('What Deal becomes').selectOption('name');
    await page.getByLabel('What Stage becomes').selectOption('stage.name');

    const before = await account.count('deals');
    // The second batch finds nobody.
    let batches = 0;
    await page.route('**/graphql', (route) => {
      const isBatch = route.request().postData()?.includes('batch_deals') ?? false;
      batches += Number(isBatch);
      return isBatch && batches === 2 ? route.abort() : route.continue();
    });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('There is no connection').waitFor();
    expect(await account.count('deals')).toBe(before + 250);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('Imported. 600 created, 0 changed, 0 refused.').waitFor();
    const deals = await account.rest.post<{ data: Deal[]; pagination: { count: number } }>(
      '/deals/search',
      { query: { name_start: 'Deal ', s: 'id' } },
    );
    expect(deals.body.pagination.count).toBe(600);
    expect(deals.body.data[0]).toMatchObject({ name: 'Deal 0', stage_id: account.stageIds[0] });
  });
});
