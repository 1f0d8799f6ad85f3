import { describe, expect, test } from '@jest/globals';
import type { Stored } from '../kit/records.ts';
import { invalid, invalidFields } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

/** Objects that a careless JSON library alters. */
const exact = {
  'keys in their order, like integers or not': '{"b":1,"2":2,"a":3,"10":4,"1":5,"-1":6}',
  'nested keys in their order': '{"z":{"9":1,"1":[{"5":1,"3":2}]},"a":{}}',
  'long integers': '{"n":12345678901234567890,"m":-12345678901234567890}',
  'long decimals': '{"n":0.1234567890123456789,"m":3.141592653589793238462643383279}',
  'numbers beyond a double': '{"n":1e400,"m":-1e400,"tiny":1e-400}',
  'numbers as they were written': '{"a":1.0,"b":1e2,"c":-0,"d":1E+2,"e":0.10}',
  'nulls and empty values': '{"a":null,"b":{},"c":[],"d":"","e":{"f":null,"g":[null,{}]}}',
  'booleans beside 0 and 1': '{"a":true,"b":false,"c":0,"d":1,"e":"true"}',
  'keys with a meaning in JavaScript':
    '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":1,"toJSON":{"a":1},"hasOwnProperty":null}',
  'an empty key and keys of blanks': '{"":1," ":2,"a b":3}',
  'escapes as they were written': String.raw`{"a":"\u00e9\n\t\"\\\/","é":"\u00E9"}`,
  'text beyond the first plane': '{"😀":"𝒳","pair":"\\ud83d\\ude00"}',
  'what looks like markup, SQL or a date': `{"a":"<b>&amp;</b>","b":"'; DROP TABLE contacts; --","c":"2026-03-01T10:00:00Z"}`,
  'deep nesting': `{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
  'an empty object': '{}',
};

/** The JSON text of the custom_attributes of the answer's first record. */
function textOf(answer: string): string {
  const start = answer.indexOf('"custom_attributes":') + '"custom_attributes":'.length;
  let depth = 0;
  let quoted = false;
  for (let at = start; at < answer.length; at += 1) {
    const c = answer[at];
    if (quoted) {
      if (c === '\\') at += 1;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === '{' || c === '[') depth += 1;
    else if (c === '}' || c === ']') {
      depth -= 1;
      if (depth === 0) return answer.slice(start, at + 1);
    }
  }
  throw new Error(`no custom_attributes in ${answer}`);
}

describe.each(['contacts', 'products', 'deals'])('custom_attributes of %s', (resource) => {
  const bodyWith = async (attributes: string): Promise<string> => {
    if (resource !== 'deals') return `{"custom_attributes":${attributes}}`;
    const { id } = await w.contact();
    return `{"contact_id":${id},"stage_id":${w.stageIds[0]},"custom_attributes":${attributes}}`;
  };
  const create = async (attributes: string) =>
    w.rest.post<Stored>(`/${resource}`, await bodyWith(attributes));

  test.each(Object.entries(exact))('come back exactly as sent: %s', async (_, attributes) => {
    const created = await create(attributes);
    expect(created).toAnswer(201);
    expect(textOf(created.text)).toBe(attributes);
    const fetched = await w.rest.get(`/${resource}/${created.body.id}`);
    expect(textOf(fetched.text)).toBe(attributes);
    const search = { query: { id_eq: created.body.id } };
    const searched = await w.rest.post(`/${resource}/search`, search);
    expect(textOf(searched.text)).toBe(attributes);
  });

  test.each([
    ['{"a":1,"b":2,"a":{"c":1.0,"c":1e400}}', '{"a":{"c":1e400},"b":2}'],
    [String.raw`{"a":"\ud800","a":1}`, '{"a":1}'],
    [String.raw`{"b":{"x":"\udc00\u0000"},"b":1}`, '{"b":1}'],
    [String.raw`{"b":[{"x":"\udc00","\u0078":2}]}`, String.raw`{"b":[{"\u0078":2}]}`],
  ])('have a key once, the last value in the first place: %s', async (sent, kept) => {
    const created = await create(sent);
    expect(created).toAnswer(201);
    expect(textOf(created.text)).toBe(kept);
    const query = { id_eq: created.body.id, 'custom_attributes.none_null': true };
    const found = await w.rest.post(`/${resource}/search`, { query });
    expect(found).toAnswer(200);
    expect(textOf(found.text)).toBe(kept);
  });

  test('come back exactly after an update, which replaces them whole', async () => {
    const { body } = await create('{"a":1,"b":{"c":2}}');
    const attributes = '{"b":{"2":1,"1":12345678901234567890}}';
    const sent = `{"custom_attributes":${attributes}}`;
    if (resource !== 'contacts') {
      const answer = await w.rest.put(`/${resource}/${body.id}`, sent);
      expect(answer).toAnswer(200);
      expect(textOf(answer.text)).toBe(attributes);
      expect(textOf((await w.rest.get(`/${resource}/${body.id}`)).text)).toBe(attributes);
    }
  });

  test.each(['[null]', '"x"', '1', 'true', '1e400', '[{}]'])(
    '422 for %s, which is no object',
    async (wrong) => {
      expect(await create(wrong)).toAnswer(
        422,
        invalid({ custom_attributes: 'must be an object' }),
      );
    },
  );

  test('64 KiB are taken, one byte more is a 422', async () => {
    const max = `{"a":"${'x'.repeat(64 * 1024 - 8)}"}`;
    expect(Buffer.byteLength(max)).toBe(65_536);
    const created = await create(max);
    expect(textOf(created.text)).toBe(max);
    const more = max.replace('x', 'xx');
    expect(await create(more)).toAnswer(422, invalidFields('custom_attributes'));
    // Bytes count, not characters.
    const wide = `{"a":"${'é'.repeat(32 * 1024)}"}`;
    expect(await create(wide)).toAnswer(422, invalidFields('custom_attributes'));
  });

  test.each([
    String.raw`{"a":"\u0000"}`,
    String.raw`{"\u0000":1}`,
    String.raw`{"a":["\ud800"]}`,
    String.raw`{"a":{"\udc00x":1}}`,
    String.raw`{"a":1,"a":"\ud800"}`,
    String.raw`{"a":{"b":{"\u0000":1}}}`,
    String.raw`{"a":"\\\u0000"}`,
  ])('422 for %s, which cannot be stored', async (wrong) => {
    expect(await create(wrong)).toAnswer(422, invalidFields('custom_attributes'));
  });
});

test('custom_attributes of a contact come back exactly after an upsert', async () => {
  const attributes = '{"10":1,"9":12345678901234567890,"__proto__":null}';
  await w.contact({ email: 'exact@example.com', custom_attributes: { a: 1 } });
  const sent = `{"email":"exact@example.com","custom_attributes":${attributes}}`;
  const answer = await w.rest.post('/contacts/upsert', sent);
  expect(answer).toAnswer(200);
  expect(textOf(answer.text)).toBe(attributes);
});

test('custom_attributes within contact_attributes and the deal both come back exactly', async () => {
  const [deal, contact] = ['{"b":1e400,"a":1}', '{"9":1,"8":12345678901234567890}'];
  const sent = `{"stage_id":${w.stageIds[0]},"custom_attributes":${deal},
    "contact_attributes":{"email":"nested@example.com","custom_attributes":${contact}}}`;
  const answer = await w.rest.post<{ contact_id: number }>('/deals/upsert', sent);
  expect(answer).toAnswer(201);
  expect(textOf(answer.text)).toBe(deal);
  expect(textOf((await w.rest.get(`/contacts/${answer.body.contact_id}`)).text)).toBe(contact);
});

test('a record of 50,000 values is read, one of more is a 422 that names the body', async () => {
  const body = (values: number) => `{"full_name":"Many","other":[${'0,'.repeat(values - 4)}0]}`;
  expect(await w.rest.post('/contacts', body(50_000))).toAnswer(201);
  expect(await w.rest.post('/contacts', body(50_001))).toAnswer(
    422,
    invalid({ body: 'has more than 50,000 values' }),
  );
});

describe('custom_attributes over GraphQL', () => {
  const attributes = '{ "2":1.0,"1":[12345678901234567890,{"z":1e400,"__proto__":null}] }';

  /** What is stored of a contact whose custom_attributes a document with variables gives. */
  async function stored(variables: string, declared: string, given: string): Promise<string> {
    const answer = await w.graphql.send<{ create_contact: { id: number } }>(
      `mutation ${declared} {
        create_contact(account_id: ${w.accountId}, input: ${given}) { id custom_attributes }
      }`,
      variables,
    );
    const fetched = await w.rest.get(`/contacts/${answer.body.data?.create_contact.id}`);
    expect(textOf(answer.text)).toBe(textOf(fetched.text));
    return textOf(fetched.text);
  }

  test('are kept exactly in a variable, whatever it is the variable of', async () => {
    const whole = `{"input":{"custom_attributes":${attributes}}}`;
    expect(await stored(whole, '($input: ContactInput!)', '$input')).toBe(attributes);
    const one = await stored(
      `{"a":${attributes}}`,
      '($a: JSONObject)',
      '{ custom_attributes: $a }',
    );
    expect(one).toBe(attributes);
  });

  test.each([
    ['an object', '($n: JSONObject)', attributes, attributes],
    ['a long number', '($n: JSONObject)', '12345678901234567890', '12345678901234567890'],
    ['a number that looks like one', '($n: JSONObject)', '{"text":"1"}', '{"text":"1"}'],
    ['a list', '($n: JSONObject)', `[${attributes},1e400]`, `[${attributes},1e400]`],
    ['a list that is declared', '($n: [JSONObject!])', `[${attributes},5]`, `[${attributes},5]`],
    ['null', '($n: JSONObject)', 'null', 'null'],
    ['an object with a key twice', '($n: JSONObject)', '{"a":"\\ud800","a":{}}', '{"a":{}}'],
  ])(
    'are kept exactly within a literal that holds a variable: %s',
    async (_, declared, value, kept) => {
      const given = '{ custom_attributes: { x: 0.10, n: $n, l: [$n, { n: $n }] } }';
      expect(await stored(`{"n":${value}}`, declared, given)).toBe(
        `{"x":0.10,"n":${kept},"l":[${kept},{"n":${kept}}]}`,
      );
    },
  );

  test('are kept exactly as a literal, and as the default of a variable', async () => {
    const literal =
      '{ b: 12345678901234567890, a: [1e400, 0.30000000000000004, -0, "é\\u0041\\"", null, true, FREE], __proto__: { toString: 1 } }';
    const kept =
      '{"b":12345678901234567890,"a":[1e400,0.30000000000000004,-0,"éA\\"",null,true,"FREE"],"__proto__":{"toString":1}}';
    expect(await stored('{}', '', `{ custom_attributes: ${literal} }`)).toBe(kept);
    expect(await stored('{}', `($a: JSONObject = ${literal})`, '{ custom_attributes: $a }')).toBe(
      kept,
    );
  });

  test.each([
    ['a variable', String.raw`{"n":{"a":"\u0000"}}`, '{ n: $n }'],
    ['a key of a variable', String.raw`{"n":{"\udfff":1}}`, '{ n: [$n] }'],
    ['a text that is a variable', String.raw`{"n":"\ud800"}`, '{ n: $n }'],
    ['a literal', '{}', String.raw`{ n: "\u0000" }`],
  ])('what cannot be stored is refused in %s', async (_, variables, given) => {
    const { body } = await w.graphql.send(
      `mutation ($n: JSONObject, $name: Text) {
        create_contact(account_id: ${w.accountId}, input: { full_name: $name, custom_attributes: ${given} }) { id }
      }`.replace(given.includes('$n') ? '' : '$n: JSONObject, ', ''),
      variables,
    );
    expect(body.errors?.map(({ extensions }) => extensions.fields)).toEqual([
      { custom_attributes: ['has characters that cannot be stored'] },
    ]);
  });
});

test('an update that says the same in other words is stored as sent', async () => {
  const { id } = await w.product({ custom_attributes: { a: 1, b: 2 } });
  const answer = await w.rest.put(`/products/${id}`, '{"custom_attributes":{ "b":2,"a":1.0 }}');
  expect(textOf(answer.text).replaceAll(' ', '')).toBe('{"b":2,"a":1.0}');
});

test('a record fetched and sent back keeps its custom_attributes exactly', async () => {
  const attributes = '{"2":1e400,"1":[12345678901234567890,null],"__proto__":{}}';
  const created = await w.rest.post<Stored>('/products', `{"custom_attributes":${attributes}}`);
  const fetched = await w.rest.get(`/products/${created.body.id}`);
  const answer = await w.rest.put(`/products/${created.body.id}`, fetched.text);
  expect(textOf(answer.text)).toBe(attributes);
});
