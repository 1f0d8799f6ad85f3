/** The scalars of the schema as OpenAPI knows them. */
import { scopes } from '../../auth/scopes.ts';
import { countings } from '../../search/page.ts';
import { moment } from './examples.ts';
import type { Schema } from './schema.ts';

interface Scalar {
  /** As requests may carry it; null clears a field. */
  readonly sent: Schema;
  /** As it comes in answers. */
  readonly answered?: Schema;
  /** Its value where an example of the field says nothing. */
  readonly example?: unknown;
  /** Whether the schema alone says enough, and the description of the scalar can be left out. */
  readonly selfEvident?: true;
}

/** An integer or its text by a pattern; generators take a type list with a pattern for a text. */
const integerOr = (pattern: string) =>
  ({ anyOf: [{ type: ['integer', 'null'] }, { type: 'string', pattern }] }) satisfies Schema;

/** A JSON integer or its decimal string: form-based integrations send strings. */
export const lenientInteger = integerOr('^(0|-?[1-9][0-9]*)$');

/** The same where an empty text is null, as forms send what was left empty. */
export const blankableInteger = integerOr('^(0|-?[1-9][0-9]*)?$');

/** true or false, as JSON has them and as forms send them; generators know no enum of several types. */
export const lenientFlag = {
  anyOf: [
    { type: ['boolean', 'null'] },
    { type: 'string', enum: ['true', 'false', '1', '0', ''] },
    { type: 'integer', enum: [1, 0] },
  ],
} satisfies Schema;

export const scalars: Readonly<Record<string, Scalar>> = {
  Boolean: {
    sent: { type: ['boolean', 'null'] },
    answered: { type: 'boolean' },
    example: false,
    selfEvident: true,
  },
  Counting: { sent: { type: ['string', 'null'], enum: [...countings, '', null] } },
  DateTime: {
    sent: { type: ['string', 'null'], format: 'date-time' },
    answered: { type: 'string', format: 'date-time' },
    example: moment,
    selfEvident: true,
  },
  Float: { sent: { type: ['number', 'null'] }, answered: { type: 'number' } },
  Flag: {
    sent: lenientFlag,
    selfEvident: true,
  },
  ID: { sent: { type: ['string', 'null'] }, answered: { type: 'string' } },
  Int: {
    sent: { type: ['integer', 'null'], format: 'int32' },
    answered: { type: 'integer', format: 'int32' },
    selfEvident: true,
  },
  Integer: {
    sent: blankableInteger,
    answered: { type: 'integer', format: 'int64' },
    example: 1,
    selfEvident: true,
  },
  JSONObject: {
    sent: {
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'Free-form: 64 KiB of JSON at most.',
    },
    answered: { type: 'object', additionalProperties: true },
    example: {},
  },
  Labels: { sent: { type: ['array', 'string', 'null'], items: { type: 'string' } } },
  Scopes: {
    sent: { type: ['array', 'null'], items: { type: 'string', enum: scopes } },
  },
  SearchCursor: { sent: { type: ['string', 'null'] } },
  String: {
    sent: { type: ['string', 'null'] },
    answered: { type: 'string' },
    example: '',
    selfEvident: true,
  },
  WebhookEvents: { sent: { type: ['array', 'null'], items: { type: 'string' } } },
  Text: { sent: { type: ['string', 'null'] }, selfEvident: true },
};
