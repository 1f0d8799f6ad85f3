/** Nothing may look like a success that was a mistake. */
import { describe, expect, test } from '@jest/globals';
import type { Page, Stored } from '../kit/records.ts';
import { codesFor, invalid, invalidSearch, notFound } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { contactBody } from '../kit/shapes.ts';
import { shipped } from '../kit/shared.ts';
import { world } from '../kit/world.ts';

const { routes } = await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

const service = await sharedService();
const w = await world(service);

const strict = { prefer: 'handling=strict' };

/** 422 with these sentences and no others, about names as they were sent. */
const foreign = (messages: Readonly<Record<string, string>>) => ({
  error: 'Validation failed',
  code: 'validation_failed',
  errors: Object.entries(messages).map(([name, message]) => `${name}: ${message}`),
  fields: Object.fromEntries(Object.entries(messages).map(([name, told]) => [name, [told]])),
  codes: codesFor(messages),
  request_id: expect.any(String),
});

describe('fields that there are not', () => {
  test('are ignored, and named in X-Ignored-Fields', async () => {
    const answer = await w.rest.post('/contacts', { fullname: 'x', email: '', prise: 1 });
    expect(answer).toAnswer(201, contactBody(w.accountId));
    expect(answer.headers['x-ignored-fields']).toBe('fullname, prise');
    expect(answer.headers['preference-applied']).toBeUndefined();
  });

  test('are named beside a refusal, too', async () => {
    const answer = await w.rest.post('/contacts', { fullname: 'x', email: 'nope' });
    expect(answer).toAnswer(422, invalid({ email: 'is invalid' }));
    expect(answer.headers['x-ignored-fields']).toBe('fullname');
  });

  test('are percent-encoded, within 1 KiB', async () => {
    const named = async (...names: string[]) => {
      const body = Object.fromEntries([['email', ''], ...names.map((name) => [name, 1])]);
      const { status, headers } = await w.rest.post('/contacts', body);
      return [status, headers['x-ignored-fields']];
    };
    expect(await named('é, \r\nSet-Cookie: x')).toEqual([
      201,
      '%C3%A9%2C%20%0D%0ASet-Cookie%3A%20x',
    ]);
    expect(await named('\ud800')).toEqual([201, '%EF%BF%BD']);
    expect(await named('x'.repeat(5000), 'y')).toEqual([201, '...']);
    const [, told] = await named(...Array.from({ length: 90 }, (_, n) => `field_that_is_not_${n}`));
    expect(String(told)).toMatch(/^(field_that_is_not_\d+, )+\.\.\.$/);
    expect(String(told).length).toBeLessThanOrEqual(1024);
    expect(String(told).length).toBeGreaterThan(990);
  });

  test('are not those of a record that is sent back as it was fetched', async () => {
    const deal = await w.deal();
    const attached = await w.dealProduct({ deal_id: deal.id });
    const user = await w.user();
    const { data } = (await w.rest.get<Page<Stored>>('/events/search')).body;
    const paths = [
      `/contacts/${deal.contact_id}`,
      `/deals/${deal.id}`,
      `/deal_products/${attached.id}`,
      `/products/${attached.product_id}`,
      `/users/${user.id}`,
      `/stages/${deal.stage_id}`,
      `/pipelines/${deal.pipeline_id}`,
    ];
    for (const path of paths) {
      const fetched = await w.rest.get(path);
      const answer = await w.rest.put(path, fetched.text, strict);
      expect(answer).toAnswer(200);
      expect([path, answer.headers['x-ignored-fields']]).toEqual([path, undefined]);
    }
    expect(data.length).toBeGreaterThan(0);
  });

  test('of contact_attributes are told with their path', async () => {
    const body = { stage_id: w.stageIds[0], contact_attributes: { full_name: 'A', mail: 'x' } };
    const answer = await w.rest.post('/deals/upsert', body);
    expect(answer.status).toBe(201);
    expect(answer.headers['x-ignored-fields']).toBe('contact_attributes.mail');
    expect(await w.rest.post('/deals/upsert', body, strict)).toAnswer(
      422,
      foreign({ 'contact_attributes.mail': 'is not a field (did you mean email?)' }),
    );
  });
});

describe('fields that there are not are refused by GraphQL', () => {
  const upsert = `mutation ($account: Integer!, $input: DealUpsertInput!) {
    upsert_deal(account_id: $account, input: $input) { created }
  }`;
  const send = async (input: object) => {
    const before = [await w.count('contacts'), await w.count('deals')];
    const { body } = await w.graphql.send(upsert, { account: w.accountId, input });
    expect([await w.count('contacts'), await w.count('deals')]).toEqual(before);
    return body.errors;
  };
  const stage_id = () => w.stageIds[0];

  test('of an input, by their type', async () => {
    expect(await send({ stage_id: stage_id(), nam: 'x' })).toMatchObject([
      {
        message: expect.stringContaining('Field "nam" is not defined by type "DealUpsertInput"'),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });

  test.each([
    [
      'mutation { create_contact(account_id: 1, input: { fullname: "x" }) { id } }',
      'Field "fullname" is not defined by type "ContactInput". Did you mean "full_name"?',
    ],
    [
      'mutation { create_contact(account_id: 1, input: { contact: { full_name: "x" } }) { id } }',
      'Field "contact" is not defined by type "ContactInput".',
    ],
    [
      '{ contacts(account_id: 1, perpage: 3) { data { id } } }',
      'Unknown argument "perpage" on field "Query.contacts". Did you mean "per_page" or "page"?',
    ],
    [
      '{ contacts(account_id: 1, q: { full_name_cont: "x" }) { data { id } } }',
      'Unknown argument "q" on field "Query.contacts".',
    ],
    [
      '{ contacts(account_id: 1, filter: { full_name_cont: "x" }) { data { id } } }',
      'Unknown argument "filter" on field "Query.contacts". Did you mean "after"?',
    ],
  ])('like all that a document gets wrong: %s', async (document, message) => {
    const { status, body } = await w.graphql.send(document);
    expect([status, body.data, body.errors?.map((error) => error.message)]).toEqual([
      400,
      undefined,
      [message],
    ]);
  });

  test('that another deal of an attached product is asked for is told', async () => {
    const { id, deal_id } = await w.dealProduct();
    const other = await w.deal();
    const { body } = await w.graphql.send(
      `mutation { update_deal_product(account_id: ${w.accountId}, id: ${id},
        input: { deal_id: ${other.id} }) { deal_id } }`,
    );
    expect(body).toMatchObject({
      data: { update_deal_product: null },
      errors: [{ extensions: { fields: { deal_id: ['cannot be changed'] } } }],
    });
    expect((await w.fetchDealProduct(id)).deal_id).toBe(deal_id);
  });

  test('of contact_attributes, with the nearest, read-only ones too, beside other faults', async () => {
    const contact_attributes = { mail: 'x', zzz: 1, account_id: 1, email: 'nope' };
    expect(await send({ stage_id: stage_id(), status: 'x', contact_attributes })).toMatchObject([
      {
        extensions: {
          code: 'VALIDATION_FAILED',
          errors: [
            'Status is not included in the list (open, won, lost)',
            'contact_attributes.mail: is not a field (did you mean email?)',
            'contact_attributes.zzz: is not a field',
            'contact_attributes.account_id: is not a field',
            'Contact attributes email is invalid',
          ],
          fields: {
            status: ['is not included in the list (open, won, lost)'],
            'contact_attributes.mail': ['is not a field (did you mean email?)'],
            'contact_attributes.zzz': ['is not a field'],
            'contact_attributes.account_id': ['is not a field'],
            'contact_attributes.email': ['is invalid'],
          },
        },
      },
    ]);
  });

  test('of contact_attributes in the text of a document, however many', async () => {
    const names = Array.from({ length: 150 }, (_, n) => `nope_${n}: 1`).join(' ');
    const { body } = await w.graphql.send(
      `mutation { upsert_deal(account_id: ${w.accountId},
        input: { stage_id: ${stage_id()}, contact_attributes: { ${names} } }) { created } }`,
    );
    expect(Object.keys(body.errors?.[0]?.extensions.fields ?? {})).toHaveLength(100);
  });
});

describe('Prefer: handling=strict', () => {
  test('refuses them all, each with the nearest field, together with other faults', async () => {
    const body = { fullname: 'x', zzz: 1, email: 'nope' };
    const answer = await w.rest.post('/contacts', body, strict);
    expect(answer).toAnswer(422, {
      error: 'Validation failed',
      code: 'validation_failed',
      errors: [
        'fullname: is not a field (did you mean full_name?)',
        'zzz: is not a field',
        'Email is invalid',
      ],
      fields: {
        fullname: ['is not a field (did you mean full_name?)'],
        zzz: ['is not a field'],
        email: ['is invalid'],
      },
      codes: { fullname: ['unknown_field'], zzz: ['unknown_field'], email: ['invalid'] },
      request_id: expect.any(String),
    });
    expect(answer.headers['preference-applied']).toBe('handling=strict');
    expect(answer.headers['x-ignored-fields']).toBeUndefined();
  });

  test('is applied to what is right, and says so', async () => {
    const answer = await w.rest.post('/contacts', { email: '' }, strict);
    expect(answer).toAnswer(201);
    expect(answer.headers['preference-applied']).toBe('handling=strict');
  });

  test.each([
    ['handling=strict', true],
    ['Handling = "strict"', true],
    ['respond-async, handling=strict; x=1', true],
    ['handling=lenient, handling=strict', false],
    ['handling=lenient', false],
    ['handling', false],
    ['strict', false],
    ['', false],
  ])('as %j is understood: %s', async (prefer, applies) => {
    const { status, headers } = await w.rest.post('/contacts', { nope: 1 }, { prefer });
    expect([status, headers['preference-applied']]).toEqual(
      applies ? [422, 'handling=strict'] : [201, undefined],
    );
  });

  test('is heard by every route that takes a record, after 404', async () => {
    const deal = await w.deal();
    const attached = await w.dealProduct({ deal_id: deal.id });
    const user = await w.user();
    const note = await w.rest.post<Stored>(`/deals/${deal.id}/events`, { kind: 'note' });
    const ids: Readonly<Record<string, unknown>> = {
      contacts: deal.contact_id,
      deals: deal.id,
      events: note.body.id,
      deal_products: attached.id,
      products: attached.product_id,
      pipelines: deal.pipeline_id,
      stages: deal.stage_id,
      users: user.id,
      webhooks: (await w.webhook()).id,
    };
    const given = routes.filter(({ body }) => body === 'input');
    expect(given.length).toBeGreaterThan(15);
    for (const { method, path } of given) {
      const resource = path.split('/')[1] ?? '';
      const at = path.replace(/:\w+/, String(ids[resource]));
      const answer = await w.rest.send<{ fields: object }>(method, at, { zzz: 1 }, strict);
      expect([at, answer.status]).toEqual([at, 422]);
      expect(answer.body.fields).toMatchObject({ zzz: ['is not a field'] });
      if (at !== path) {
        const missing = path.replace(/:\w+/, '4503599627370496');
        expect(await w.rest.send(method, missing, { zzz: 1 }, strict)).toAnswer(404, notFound);
      }
    }
  });
});

describe('fields in the wrong place', () => {
  const wrapped = 'is not a field: the fields stand in the body itself, not in an object within it';

  test.each([
    ['contact', { full_name: 'x' }],
    ['contact', {}],
    ['data', [{ full_name: 'x' }]],
  ])('a body that is nothing but {%j: %j} is a 422', async (name, value) => {
    const before = await w.count('contacts');
    expect(await w.rest.post('/contacts', { [name]: value })).toAnswer(
      422,
      foreign({ [name]: wrapped }),
    );
    expect(await w.count('contacts')).toBe(before);
    const { id } = await w.contact();
    expect(await w.rest.put(`/contacts/${id}`, { [name]: value })).toAnswer(
      422,
      foreign({ [name]: wrapped }),
    );
    expect(await w.rest.put('/contacts/1', { [name]: value })).toAnswer(404, notFound);
  });

  test.each([undefined, '', '{}', '{ }'])(
    'a write with a query string and the body %j is a 422',
    async (body) => {
      const before = await w.count('contacts');
      const message = 'belongs in the body, as JSON';
      const told = foreign({ full_name: message, x: message });
      expect(await w.rest.post('/contacts?full_name=Ana&x=1', body)).toAnswer(422, told);
      expect(await w.count('contacts')).toBe(before);
      const { id } = await w.contact();
      expect(await w.rest.put(`/contacts/${id}?full_name=Ana&x=1`, body)).toAnswer(422, told);
      expect(await w.rest.put('/contacts/1?full_name=Ana', body)).toAnswer(404, notFound);
    },
  );

  test('of a write with a body they are ignored and told, or refused', async () => {
    const answer = await w.rest.post('/contacts?full_name=Ana', { email: '', fullname: 'x' });
    expect(answer).toAnswer(201, contactBody(w.accountId));
    expect(answer.headers['x-ignored-fields']).toBe('fullname, full_name');
    expect(await w.rest.post('/contacts?full_name=Ana', { email: '' }, strict)).toAnswer(
      422,
      foreign({ full_name: 'belongs in the body, as JSON' }),
    );
  });

  test('the address overrides no field of the body', async () => {
    const { id } = await w.product({ name: 'Kept' });
    const answer = await w.rest.put(`/products/${id}?name=evil&id=1`, { description: 'x' });
    expect(answer.body).toMatchObject({ id, name: 'Kept', description: 'x' });
  });
});

describe('a search', () => {
  const noPart =
    'is not part of a search: conditions and the order (s) stand in query, beside page, per_page, after and count';

  test.each([
    [{ perpage: 3 }, 'perpage', `${noPart} (did you mean per_page?)`],
    [{ q: { full_name_cont: 'x' } }, 'q', noPart],
    [{ filter: null }, 'filter', noPart],
    [{ full_name_cont: 'silva', query: {} }, 'full_name_cont', noPart],
    [{ limit: 'x' }, 'limit', noPart],
    [{ Query: {} }, 'Query', `${noPart} (did you mean query?)`],
  ])('with %j is a 422 that names %s', async (body, key, message) => {
    expect(await w.rest.post('/contacts/search', body)).toAnswer(422, {
      error: 'Invalid search parameters',
      code: 'invalid_search',
      errors: [`${key}: ${message}`],
      fields: { [key]: [message] },
      codes: { [key]: ['unknown_field'] },
      request_id: expect.any(String),
    });
  });

  test.each([
    ...['?=x', '?&=', '?=', '?page=1&=x', '?=x&=y', '?=%5Bx', '?query[full_name_cont]=a&=b'],
  ])('with a parameter that has no name (%s) is a 422 that says so', async (text) => {
    const refused = {
      error: 'Invalid search parameters',
      code: 'invalid_search',
      errors: [`"": ${noPart}`],
      fields: { '': [noPart] },
      codes: { '': ['unknown_field'] },
      request_id: expect.any(String),
    };
    expect(await w.rest.get(`/contacts/search${text}`)).toAnswer(422, refused);
    expect(await w.rest.post(`/contacts/search${text}`, {})).toAnswer(422, refused);
    const message = 'is not part of an export';
    const exported = await w.rest.get(`/contacts/export${text.replace('page=1&', '')}`);
    const told = { ...refused, errors: [`"": ${message}`], fields: { '': [message] } };
    expect(exported).toAnswer(422, told);
  });

  test.each([
    ...[
      '[]=x',
      '[full_name_eq]=x',
      '%00=',
      '%00=x',
      '+=x',
      'x',
      'query[]=x',
      'query[][x]=1',
      '[=1',
    ],
    ...[
      'query[0]=x',
      'query=&query[x]=b',
      'query[x]=b&query=x',
      'query=x',
      '__proto__[x]=1',
      '[][]=1',
    ],
    ...[
      'query[__proto__]=1',
      'query[__proto__][x]=1',
      'query[constructor]=1',
      'query[=x',
      'query]=x',
    ],
    ...['query[%00]=1', 'query[]full_name_eq=x', 'query[+]=x', 'query.full_name_eq=x', '&&=&&'],
    ...[
      'page[]=',
      'page=1&page=2',
      'page[x]=1',
      'constructor=1',
      'hasOwnProperty[x]=1',
      '%5B%5D=x',
    ],
  ])('with a query string that says nothing known (%s) never finds everything', async (text) => {
    expect((await w.rest.get(`/contacts/search?${text}`)).status).toBe(422);
    expect((await w.rest.get(`/contacts/export?${text}`)).status).toBe(422);
  });

  test('tells them together with what else is wrong', async () => {
    const body = { perpage: 3, query: { nope_eq: 1 }, page: 0 };
    expect(await w.rest.post('/contacts/search?x=1', body)).toAnswer(
      422,
      invalidSearch('perpage', 'x', 'nope_eq', 'page'),
    );
  });

  test.each(['GET', 'POST'])('by %s takes no condition from the address itself', async (method) => {
    expect(await w.rest.send(method, '/contacts/search?full_name_cont=silva')).toAnswer(
      422,
      invalidSearch('full_name_cont'),
    );
  });

  test('takes query, page and per_page from the address, where the body has none', async () => {
    const own = await world(service);
    for (const full_name of ['Ana', 'Ann', 'Bob']) await own.contact({ full_name });
    const search = async (text: string, body?: object) => {
      const path = `/contacts/search?${text}`;
      const { body: found } = await own.rest.post<Page<{ full_name: string }>>(path, { ...body });
      return found.data.map(({ full_name }) => full_name);
    };
    expect(await search('query[full_name_start]=an')).toEqual(['Ana', 'Ann']);
    expect(await search('query[full_name_start]=an&per_page=1&page=2')).toEqual(['Ann']);
    const query = { full_name_eq: 'Bob' };
    expect(await search('query[full_name_start]=an', { query })).toEqual(['Bob']);
    expect(await search('per_page=1', { per_page: 2 })).toEqual(['Ana', 'Ann']);
  });

  test('by GET with a body is a 422', async () => {
    expect(await w.rest.send('GET', '/contacts/search', { query: { id_eq: 1 } })).toAnswer(
      422,
      invalidSearch('body'),
    );
    const chunked = { 'transfer-encoding': 'chunked', 'content-length': [] };
    expect(await w.rest.send('GET', '/contacts/search', '{}', chunked)).toAnswer(
      422,
      invalidSearch('body'),
    );
  });
});
