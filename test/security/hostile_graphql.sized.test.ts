/** Odd documents and variables: answered in the protocol, never by a fault of ours. */
import { describe, expect, test } from '@jest/globals';
import { values } from '../kit/hostile_values.ts';
import { sample } from '../kit/sample.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';
import { expectUnharmed } from './hostile.ts';

const service = await sharedService();
const w = await world(service);

/** Texts that it cannot store, alone and within others. */
const unstorable = [String.raw`"\u0000"`, String.raw`"x\ud800"`].flatMap((text) => [
  text,
  `[${text}]`,
  `{${text}:1,"custom_attributes.a_eq":${text},"full_name_or_name_eq":${text},"s":${text}}`,
]);

describe('GraphQL', () => {
  test.each([
    '',
    '{',
    '{ nope }',
    'query ($a: Nope!) { __typename }',
    '{ contact(account_id: 1e400, id: 1) { id } }',
    'fragment A on Contact { ...A } { contacts(account_id: 1) { data { ...A } } }',
    '{ __proto__ { constructor } }',
    'subscription { x }',
    'mutation { create_contact(account_id: "1", input: "x") { id } }',
    'mutation { create_contact(account_id: 1, input: {email: {a: 1}}) { id } }',
    '\u0000',
    '{ a: __typename, a: __schema { types { name } } }',
    'query A { __typename } query B { __typename }',
  ])('%j is answered in the protocol, without a fault of ours', async (document) => {
    const answer = await w.graphql.send(document);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body.errors?.map((error) => error.extensions.code)).not.toContain(
      'INTERNAL_SERVER_ERROR',
    );
  });

  test.each(values.map((value, at) => [value, at] as const))(
    '%s as any variable',
    async (value, at) => {
      const document = `mutation ($account: Integer!, $input: ContactInput!) { create_contact(account_id: $account, input: $input) { id } }`;
      const places = [
        `{"account":${value},"input":{}}`,
        `{"account":${w.accountId},"input":${value}}`,
        `{"account":${w.accountId},"input":{"full_name":${value},"email":${value},"label_list":${value},"custom_attributes":${value}}}`,
        value,
      ];
      for (const variables of sample(places, 2, at)) {
        const answer = await w.graphql.send(document, variables);
        expect(answer.status).toBeLessThan(500);
        expect(answer.text).not.toContain('INTERNAL_SERVER_ERROR');
      }
    },
  );

  test('what PostgreSQL cannot store is refused in any argument', async () => {
    const { queryType, mutationType } = await rootFields();
    const answers: unknown[] = [];
    for (const [kind, fields] of [
      ['query', queryType.fields],
      ['mutation', mutationType.fields],
    ] as const) {
      for (const { name, args } of fields.filter(({ args }) => args.length > 1)) {
        for (const [at, arg] of args.filter(({ name }) => name !== 'account_id').entries()) {
          const others = args
            .filter((other) => other !== arg && other.name !== 'account_id' && isRequired(other))
            .map(
              (other) => `${other.name}: ${other.type.ofType?.kind === 'INPUT_OBJECT' ? '{}' : 1}`,
            );
          const given = ['account_id: $account', ...others, `${arg.name}: $value`].join();
          for (const value of sample(unstorable, 6, at)) {
            const { status, body } = await w.graphql.send(
              `${kind} ($account: Integer!, $value: ${typeOf(arg.type)}) { ${name}(${given}) { __typename } }`,
              `{"account":${w.accountId},"value":${value}}`,
            );
            const codes = body.errors?.map(({ extensions }) => extensions.code) ?? [];
            const harm = status >= 500 || codes.includes('INTERNAL_SERVER_ERROR');
            answers.push([name, arg.name, value, harm || codes.length === 0]);
          }
        }
      }
    }
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.filter((answer) => Array.isArray(answer) && answer[3])).toEqual([]);
  });

  test.each([
    '[]',
    '1',
    '"x"',
    'null',
    '[{"query":"{ __typename }"}]',
    '{"query":1}',
    '{"query":null}',
    '{"query":{}}',
    '{}',
    '{"query":"{__typename}","variables":[]}',
  ])('the body %s', async (body) => {
    const answer = await service.client.send({
      method: 'POST',
      path: '/graphql',
      headers: { authorization: `Bearer ${w.admin.token}`, 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toContain('INTERNAL_SERVER_ERROR');
  });
});

interface Type {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType: Type | null;
}

interface Argument {
  readonly name: string;
  readonly type: Type;
}

interface Root {
  readonly fields: readonly { readonly name: string; readonly args: readonly Argument[] }[];
}

async function rootFields(): Promise<{ readonly queryType: Root; readonly mutationType: Root }> {
  const fields =
    'fields { name args { name type { ...T ofType { ...T ofType { ...T ofType { ...T } } } } } }';
  const { __schema } = await w.graphql.data<{ __schema: { queryType: Root; mutationType: Root } }>(
    `{ __schema { queryType { ${fields} } mutationType { ${fields} } } } fragment T on __Type { kind name }`,
  );
  return __schema;
}

const isRequired = ({ type }: Argument): boolean => type.kind === 'NON_NULL';

function typeOf({ kind, name, ofType }: Type): string {
  if (ofType && kind === 'NON_NULL') return `${typeOf(ofType)}!`;
  return ofType ? `[${typeOf(ofType)}]` : (name ?? '');
}

test('none of it harmed the service', () => expectUnharmed(service, w));
