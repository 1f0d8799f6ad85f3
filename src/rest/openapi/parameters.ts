/** What requests carry beside their bodies, in paths, query strings and headers. */
import { getNamedType } from 'graphql';
import { keyHeader } from '../../context/idempotency.ts';
import { argumentsBeside } from '../operations.ts';
import { Parts } from '../part.ts';
import type { Route } from '../routes.ts';
import { oneLine, type Schema } from './schema.ts';

/** The ids in a path as the document writes it. */
export const placeIn = (path: string): readonly Schema[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    example: 1,
  }));

export const prefer = {
  name: 'Prefer',
  in: 'header',
  description:
    '`dry-run` answers as the request would be answered, and writes nothing. `handling=strict` refuses fields that the record does not have.',
  schema: { type: 'string' },
  example: 'handling=strict',
};

export const idempotencyKey = {
  name: keyHeader,
  in: 'header',
  description:
    'Makes the request safe to send again: for 24 hours the same one with the same key is answered as the first was, and not done again.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  example: '7f9c1f0a-5d0b-4a52-9b7e-0d4a6c1f3e21',
};

/** The parameter that chooses fields of what an operation answers. */
export const chosenFields = (operation: string): Schema => ({
  name: 'fields',
  in: 'query',
  description:
    'The fields of each record to return, separated by commas, in the order of the whole; all of them when left out.',
  schema: { type: 'string' },
  example: new Parts(operation).names[0],
});

const argumentExamples: Readonly<Record<string, unknown>> = {
  after: 'now',
  limit: 20,
  page: 1,
  per_page: 10,
  q: 'ana',
  reassign_to: 2,
  records: 'contacts,deals',
  wait: 0,
};

/** Arguments without which nothing is answered. */
const requiredArguments = ['q'];

/** Arguments in the query string of a route that takes nothing else. */
export const urlArguments = (route: Route): Schema[] =>
  argumentsBeside(route).map(({ name, description, type }) => ({
    name,
    in: 'query',
    ...(description ? { description: oneLine(description) } : {}),
    ...(requiredArguments.includes(name) && { required: true }),
    schema:
      getNamedType(type).name === 'Integer'
        ? { type: 'integer', format: 'int64', minimum: name === 'wait' ? 0 : 1 }
        : { type: 'string' },
    example: argumentExamples[name],
  }));
