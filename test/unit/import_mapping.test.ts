import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { buildSchema, isInputObjectType } from 'graphql';
import { headers, plainName } from '../../src/import/headers.ts';
import { columnsOf, guess } from '../../src/import/mapping.ts';
import { descriptions, importable, targetOf } from '../../src/import/targets.ts';

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

const inputs = {
  contacts: 'ContactInput',
  deals: 'DealInput',
  products: 'ProductInput',
  deal_products: 'DealProductInput',
  events: 'EventInput',
} as const;

describe.each(importable)('%s', (records) => {
  test('columns become exactly the fields that may be written', () => {
    const input = schema.getType(inputs[records]);
    const fields = isInputObjectType(input) ? Object.keys(input.getFields()) : [];
    expect(Object.keys(descriptions[records].fields).sort()).toEqual(fields.sort());
  });

  test('what a row says of the product that it brings may be written of one', () => {
    const input = schema.getType('DealProductInput');
    const { fields = {}, forms = {} } = descriptions[records].line ?? {};
    const all = [...Object.keys(fields), ...Object.values(forms).map(({ field }) => field)];
    expect(isInputObjectType(input) && Object.keys(input.getFields())).toEqual(
      expect.arrayContaining(all),
    );
  });

  test('a column that is called like a field becomes it', () => {
    const names = Object.keys(descriptions[records].fields);
    expect(guess(records, names, true)).toEqual(names);
  });

  test('what columns may be called is written as names are compared, and leads somewhere', () => {
    for (const [target, names] of Object.entries(headers[records])) {
      expect(targetOf(records, target, true)?.name).toBe(target);
      expect(names.split(', ').map(plainName).join(', ')).toBe(names);
    }
  });
});

describe('guesses', () => {
  test.each([
    ['contacts', ['First name', 'Last name', 'E-Mail', 'Phone number', 'Tags', 'City']],
    [
      'contacts',
      ['Primeiro nome', 'Sobrenome', 'Endereço de e-mail', 'Telefone', 'Etiquetas', 'Cidade'],
    ],
    [
      'contacts',
      ['Nombre de pila', 'Apellidos', 'Correo electrónico', 'Teléfono', 'Etiquetas', 'Ciudad'],
    ],
    ['contacts', ['Vorname', 'Nachname', 'E-Mail-Adresse', 'Telefon', 'Schlagwörter', 'Ort']],
  ] as const)('%s: %j', (records, names) => {
    expect(guess(records, names, false)).toEqual([
      'first_name',
      'last_name',
      'email',
      'phone',
      'label_list',
      undefined,
    ]);
  });

  test.each([
    ['deals', ['Deal name', 'Stage', 'Pipeline', 'Contact email', 'Lost reason']],
    ['deals', ['Nome do negócio', 'Etapa', 'Funil', 'E-mail', 'Motivo da perda']],
    ['deals', ['Nombre del negocio', 'Etapa', 'Embudo', 'Correo', 'Motivo de pérdida']],
    ['deals', ['Dealname', 'Phase', 'Pipeline', 'E-Mail-Adresse', 'Verlustgrund']],
  ] as const)('%s: %j', (records, names) => {
    expect(guess(records, names, false)).toEqual([
      'name',
      'stage.name',
      'pipeline.name',
      'contact.email',
      'lost_reason',
    ]);
  });

  test.each([
    ['SKU', 'Product name', 'Quantity', 'Unit price'],
    ['Código do produto', 'Produto', 'Qtde.', 'Preço unitário'],
    ['Código de producto', 'Producto', 'Cantidad', 'Precio unitario'],
    ['Artikelnummer', 'Produkt', 'Menge', 'Einzelpreis'],
  ])('deals with products: %j, %j, %j, %j', (...names) => {
    expect(guess('deals', names, false)).toEqual([
      'product.identifier',
      'product.name',
      'quantity',
      'unit_amount',
    ]);
  });

  test.each([
    ['Customer email', 'Customer phone', 'Loss reason'],
    ['Contato E-mail', 'Telefone do contato', 'Motivo'],
    ['E-mail do cliente', 'Telefone do cliente', 'Motivo da perda'],
    ['Correo del cliente', 'Teléfono del cliente', 'Motivo'],
    ['E-Mail des Kunden', 'Telefon des Kunden', 'Verlustgrund'],
  ])('whom deals belong to: %j, %j, %j', (...names) => {
    expect(guess('deals', names, false)).toEqual(['contact.email', 'contact.phone', 'lost_reason']);
    expect(guess('contacts', names, false).slice(0, 2)).toEqual(['email', 'phone']);
  });

  test('what may be the deal’s own is not taken for its product’s, nor is a quantity of no product', () => {
    const names = ['Código', 'Valor', 'Item', 'Quantidade', 'unit_amount'];
    const guessed = (...given: Parameters<typeof guess>) => guess(...given).slice(2);
    expect(guess('deals', names, false)).toEqual(names.map(() => undefined));
    const said = new Map([[2, 'product.name']]);
    expect(guessed('deals', names, false, said)).toEqual([
      'product.name',
      'quantity',
      'unit_amount',
    ]);
    expect(guessed('deals', names, false, new Map(), ['product.identifier'])).toEqual([
      undefined,
      'quantity',
      'unit_amount',
    ]);
    const left = new Map([[2, undefined]]);
    expect(
      guess(
        'deals',
        ['Produto', 'Quantidade', 'Produkt'],
        false,
        new Map([[0, undefined], ...left]),
      ),
    ).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    ['products', ['SKU', 'Product name', 'Description', 'Price', 'Stock']],
    ['products', ['Código', 'Produto', 'Descrição', 'Preço', 'Estoque']],
    ['products', ['Referencia', 'Producto', 'Descripción', 'Precio', 'Existencias']],
    ['products', ['Artikelnummer', 'Bezeichnung', 'Beschreibung', 'Stückpreis', 'Lagerbestand']],
  ] as const)('%s: %j', (records, names) => {
    expect(guess(records, names, false)).toEqual([
      'identifier',
      'name',
      'description',
      'amount',
      'quantity_available',
    ]);
  });

  test.each([
    [
      'Google Contacts',
      ['First Name', 'Last Name', 'E-mail 1 - Value', 'Phone 1 - Value', 'Labels'],
    ],
    [
      'Google Contacts of before',
      ['Given Name', 'Family Name', 'E-mail 1 - Value', 'Phone 1 - Value', 'Tags'],
    ],
    ['Outlook', ['First Name', 'Last Name', 'E-mail Address', 'Mobile Phone', 'Tags']],
    ['HubSpot', ['First Name', 'Last Name', 'Email', 'Phone Number', 'Tags']],
    ['Salesforce', ['FirstName', 'LastName', 'Email', 'MobilePhone', 'Tags']],
    [
      'Pipedrive',
      [
        'Person - First name',
        'Person - Last name',
        'Person - Email',
        'Person - Phone',
        'Person - Labels',
      ],
    ],
  ] as const)('the columns of %s are known', (_, names) => {
    expect(guess('contacts', names, false)).toEqual([
      ...['first_name', 'last_name', 'email', 'phone', 'label_list'],
    ]);
  });

  test('a name and its parts: the whole is taken where a part is missing', () => {
    expect(guess('contacts', ['Name', 'First name', 'Last name'], false)).toEqual([
      undefined,
      'first_name',
      'last_name',
    ]);
    expect(guess('contacts', ['Name', 'Vorname'], false)).toEqual(['full_name', 'first_name']);
  });

  test('of several columns that might be one thing the likeliest is it', () => {
    expect(guess('contacts', ['Tel', 'Mobile', 'Phone number'], false)).toEqual([
      undefined,
      undefined,
      'phone',
    ]);
  });

  test('when a record was created is asked of an operator alone', () => {
    expect(guess('contacts', ['Criado em'], false)).toEqual([undefined]);
    expect(guess('contacts', ['Criado em'], true)).toEqual(['created_at']);
  });
});

describe('a mapping', () => {
  const columns = (
    mapping: readonly (string | undefined)[],
    fixed: readonly [string, string][] = [],
  ) => columnsOf('contacts', mapping, new Map(fixed), false);

  test('orders the parts of a name, wherever their columns are', () => {
    const read = columns(['last_name', undefined, 'first_name'], [['full_name', 'von']]);
    expect(read.map(({ at, target, text }) => [at, target.name, text])).toEqual([
      [2, 'first_name', undefined],
      [-1, 'full_name', 'von'],
      [0, 'last_name', undefined],
    ]);
  });

  test.each([
    [['e_mail'], 'A column of contacts cannot become e_mail, but '],
    [['created_at'], 'A column of contacts cannot become created_at, but '],
    [['constructor'], 'A column of contacts cannot become constructor, but '],
    [['email', 'email'], 'Two columns are mapped to email'],
    [
      ['custom_attributes.a', 'custom_attributes.a'],
      'Two columns are mapped to custom_attributes.a',
    ],
    [
      ['custom_attributes', 'custom_attributes.a'],
      'Either custom_attributes is mapped or keys of it, not both',
    ],
    [[undefined], 'No column of the file is mapped to anything'],
  ])('%j is refused', (mapping, message) => {
    expect(() => columns(mapping)).toThrow(message);
  });

  test('knows what a quantity is of', () => {
    const of = (...mapping: readonly string[]) => columnsOf('deals', mapping, new Map(), false);
    expect(() => of('name', 'quantity')).toThrow(
      'quantity is that of a product: map product.identifier or product.name, too',
    );
    expect(of('product.custom_attributes.old', 'quantity')).toHaveLength(2);
  });

  test.each([
    ['deals', 'contact.email', 'contact_id'],
    ['deals', 'contact.custom_attributes.Old id', 'contact_id'],
    ['deals', 'stage.name', 'stage_id'],
    ['deals', 'stage.custom_attributes.x', undefined],
    ['deals', 'contact.id', undefined],
    ['deals', 'product.identifier', 'product_id'],
    ['deals', 'unit_amount', 'unit_amount_in_cents'],
    ['deals', 'product_id', undefined],
    ['contacts', 'quantity', undefined],
    ['deal_products', 'product.identifier', 'product_id'],
    ['events', 'deal.custom_attributes.x', 'deal_id'],
    ['contacts', 'custom_attributes.', undefined],
    ['contacts', 'email.x', undefined],
  ] as const)('%s: %s', (records, name, field) => {
    expect(targetOf(records, name, false)?.field).toBe(field);
  });
});
