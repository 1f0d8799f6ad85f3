import { describe, expect, test } from '@jest/globals';
import type { GraphQLField } from 'graphql';
import { shipped } from '../kit/shared.ts';

const { schema } = await shipped<typeof import('../../src/graphql/schema.ts')>('graphql/schema.js');

const queries = schema.getQueryType()?.getFields() ?? {};
const fieldsOf = (name: string): readonly GraphQLField<unknown, unknown>[] => {
  const type = schema.getType(name);
  return type && 'getInterfaces' in type && 'isTypeOf' in type
    ? Object.values(type.getFields())
    : [];
};
const watched = ['Subscription', 'Dashboard']
  .flatMap(fieldsOf)
  // Changes are sent one by one, rather than as a query.
  .filter(({ name }) => queries[name] && name !== 'changes')
  .map((field) => ({ field, query: queries[field.name] }));

const argumentsOf = (field: GraphQLField<unknown, unknown> | undefined) =>
  field?.args.map(({ name, type, defaultValue, description }) => ({
    name,
    type: String(type),
    defaultValue,
    description,
  }));

describe('what is watched', () => {
  test('is known to this test', () => {
    expect(watched.map(({ field }) => field.name)).toEqual([
      'deals_summary',
      'summary',
      'pipeline_board',
      'deals_summary',
      'summary',
      'pipeline_funnel',
      'pipeline_forecast',
    ]);
  });

  test.each(watched)('takes and answers what the query does: $field.name', ({ field, query }) => {
    expect(argumentsOf(field)).toEqual(argumentsOf(query));
    expect(String(field.type)).toBe(String(query?.type));
    expect(field.resolve).toBe(query?.resolve);
  });
});
