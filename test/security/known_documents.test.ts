/**
 * A document is answered to the letter alike when it is new and when it comes again, whatever its names mean in
 * JavaScript; `new_documents.long.ts` compares more of them with what graphql-js answers.
 */
import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const { contact_id: id } = await w.deal({ name: 'Desk' });
await w.rest.put(`/contacts/${id}`, { full_name: 'Ana', label_list: 'a,b' });
const contact = `contact(account_id: ${w.accountId}, id: ${id})`;

const cases: readonly (readonly [string, (name: string) => string, (name: string) => string])[] = [
  [
    'with a leaf under the alias',
    (name) => `{ ${contact} { ${name}: full_name id } }`,
    (name) => `{"data":{"contact":{"${name}":"Ana","id":${id}}}}`,
  ],
  [
    'with a list of records under the alias',
    (name) => `{ ${contact} { ${name}: deals { name } labels: label_list } }`,
    (name) => `{"data":{"contact":{"${name}":[{"name":"Desk"}],"labels":["a","b"]}}}`,
  ],
  [
    'with a variable, a fragment and an operation of the name',
    (name) => `query ${name}($${name}: Integer = 2) {
      contacts(account_id: ${w.accountId}, per_page: $${name}) { ...${name} }
    } fragment ${name} on ContactPage { pagination { items } }`,
    () => '{"data":{"contacts":{"pagination":{"items":1}}}}',
  ],
];

test.each(
  cases.flatMap(([title, document, answer]) =>
    ['constructor', '__proto__', 'toString', 'toJSON', 'then'].map((name) => ({
      title: `${title} ${name}`,
      document: document(name),
      answer: answer(name),
    })),
  ),
)('$title', async ({ document, answer }) => {
  const answers: string[] = [];
  for (let call = 1; call <= 4; call += 1) answers.push((await w.graphql.send(document)).text);
  expect(answers).toEqual(Array(4).fill(answer));
});
