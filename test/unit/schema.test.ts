/** What every start takes for valid. */
import { describe, expect, test } from '@jest/globals';
import { buildASTSchema, validate, validateSchema } from 'graphql';
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
