/** Records beneath records, under the schema's names and under a client's own. */
import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const { id: contactId } = await w.contact({ full_name: 'Ana' });
for (const title of ['one', 'two', 'three']) {
  await w.rest.post(`/contacts/${contactId}/events`, { kind: 'note', title });
}
const { id: dealId } = await w.deal({ contact_id: contactId, name: 'Desk' });

const contact = (fields: string) =>
  w.graphql.data(`{ contact(account_id: ${w.accountId}, id: ${contactId}) { ${fields} } }`);

test('a relation is given as often as it is asked for, each time as asked', async () => {
  // Names that begin alike beyond what PostgreSQL tells apart.
  const long = 'x'.repeat(80);
  const data = await contact(
    `name: full_name
    notes: events(limit: 1) { title }
    events(limit: 2) { heading: title }
    ${long}_1: events(limit: 1, offset: 1) { title }
    ${long}_2: events(limit: 1, offset: 2) { title person: contact { full_name: phone name: full_name } }`,
  );
  expect(data).toEqual({
    contact: {
      name: 'Ana',
      notes: [{ title: 'one' }],
      events: [{ heading: 'one' }, { heading: 'two' }],
      [`${long}_1`]: [{ title: 'two' }],
      [`${long}_2`]: [{ title: 'three', person: { full_name: '', name: 'Ana' } }],
    },
  });
});

test('a field may have the name of a relation that is not asked for', async () => {
  expect(await contact('deals: full_name events: id')).toEqual({
    contact: { deals: 'Ana', events: contactId },
  });
});

test('relations may change their names', async () => {
  const text = `{ deals(account_id: ${w.accountId}) { data {
    contact: stage { contact: name } stage: contact { stage: full_name deals: events(limit: 1) { title } }
  } } }`;
  const data = await w.graphql.data<{ deals: { data: object[] } }>(text);
  expect(data.deals.data).toEqual([
    { contact: { contact: 'New' }, stage: { stage: 'Ana', deals: [{ title: 'one' }] } },
  ]);
});

test('a document answers alike with a value in its text and in a variable', async () => {
  const fields = 'data { id contact { full_name deals { id } } stage { name } }';
  const inVariable = await w.graphql.data(
    `query ($q: SearchQuery) { deals(account_id: ${w.accountId}, query: $q) { ${fields} } }`,
    { q: { name_eq: 'Desk' } },
  );
  const inText = await w.graphql.data(
    `{ deals(account_id: ${w.accountId}, query: { name_eq: "Desk" }) { ${fields} } }`,
  );
  expect(inText).toEqual(inVariable);
  expect(inVariable).toEqual({
    deals: {
      data: [
        {
          id: dealId,
          contact: { full_name: 'Ana', deals: [{ id: dealId }] },
          stage: { name: 'New' },
        },
      ],
    },
  });
});

test.each([
  ['@include(if: $asked)', true],
  ['@include(if: $asked)', false],
  ['@skip(if: $asked)', true],
  ['@skip(if: $asked)', false],
])('what is left out by %s with %j is not fetched', async (directive, asked) => {
  const text = `query ($asked: Boolean!) {
    contact(account_id: ${w.accountId}, id: ${contactId}) { full_name events(limit: 3) ${directive} { title } ...more ${directive} }
  }
  fragment more on Contact { deals { name } }`;
  service.statements.length = 0;
  const data = await w.graphql.data(text, { asked });
  const isThere = directive.startsWith('@include') === asked;
  const beneath = {
    events: ['one', 'two', 'three'].map((title) => ({ title })),
    deals: [{ name: 'Desk' }],
  };
  expect(data).toEqual({ contact: { full_name: 'Ana', ...(isThere ? beneath : {}) } });
  expect(service.statements.map((sql) => /"(events|deals)"/.test(sql))).toEqual([isThere]);
});

test.each(['deals', 'others: deals'])(
  'a condition of %s that is null is refused, whatever its default',
  async (field) => {
    const text = `query ($asked: Boolean = true) {
      contact(account_id: ${w.accountId}, id: ${contactId}) { full_name ${field} @include(if: $asked) { name } }
    }`;
    const [key = ''] = field.split(':');
    expect(await w.graphql.data(text)).toEqual({
      contact: { full_name: 'Ana', [key]: [{ name: 'Desk' }] },
    });
    const message = 'Variable "$asked" must not be null: it is used where a value is needed.';
    expect((await w.graphql.send(text, { asked: null })).body).toEqual({
      errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }],
    });
  },
);
