/** What every start takes for valid. */
import { describe, expect, test } from '@jest/globals';
import {
  buildASTSchema,
  TypeInfo,
  validate,
  validateSchema,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { tables } from '../../src/generated/shapes.ts';
import { typeDefs } from '../../src/graphql/schema.ts';
import { operations } from '../../src/rest/operations.ts';

test('the schema is valid', () => {
  expect(validateSchema(buildASTSchema(typeDefs))).toEqual([]);
});

describe('a stored operation is valid', () => {
  const schema = buildASTSchema(typeDefs);
  test.each([...operations])('%s', (_, document) => {
    expect(validate(schema, document)).toEqual([]);
  });
});

test('an answer of the REST interface shows of a record what a fragment lists, and no more', () => {
  const schema = buildASTSchema(typeDefs);
  const pascal = (words: string) =>
    words.replaceAll(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());
  const records = new Set(Object.values(tables).map(({ one }) => pascal(one)));
  const direct = new Set<string>();
  const types = new TypeInfo(schema);
  for (const document of operations.values()) {
    visit(
      document,
      visitWithTypeInfo(types, {
        FragmentDefinition: () => false,
        Field: () => {
          const parent = types.getParentType()?.name ?? '';
          if (records.has(parent)) direct.add(parent);
        },
      }),
    );
  }
  expect([...direct]).toEqual([]);
});
