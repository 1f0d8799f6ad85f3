/** The schemas of errors, and of their codes. */
import { codes, fieldCodes } from '../../errors/codes.ts';
import type { Schema } from './schema.ts';

const sentences = { type: 'array', minItems: 1, items: { type: 'string' } };

export const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** Codes by field, as messages are. */
export const codesByField: Schema = {
  type: 'object',
  additionalProperties: { type: 'array', minItems: 1, items: reference('FieldCode') },
};

export const refusalCode: Schema = reference('ErrorCode');

const error = {
  type: 'object',
  description: 'Why a request was refused.',
  additionalProperties: false,
  required: ['error', 'code', 'errors', 'request_id'],
  properties: {
    error: { type: 'string', description: 'A summary, the same for every refusal of its kind.' },
    code: refusalCode,
    errors: { ...sentences, description: 'All that is wrong, in full sentences.' },
    merged_into: {
      type: 'integer',
      format: 'int64',
      description: 'Of a contact that was merged: the id of the one that is left.',
    },
    request_id: { type: 'string', description: 'The same as in the header and in the log.' },
  },
};

const invalid = {
  ...error,
  description: 'What of a request is not valid. All faults are reported together.',
  properties: {
    ...error.properties,
    fields: {
      type: 'object',
      description: 'Messages by field, the field named as it was sent.',
      additionalProperties: sentences,
    },
    codes: {
      ...codesByField,
      description: 'The codes of these messages, by field and in the same order.',
    },
    conflict: {
      type: 'object',
      description:
        'The record that holds the value that has already been taken: `{"contact_id": 7}`.',
      additionalProperties: { type: 'integer', format: 'int64' },
    },
  },
};

export const errorSchemas: Readonly<Record<string, Schema>> = {
  ErrorCode: {
    type: 'string',
    enum: [...new Set(Object.values(codes).map(({ code }) => code))],
    description: 'What kind of refusal it is, for programs. More may be added.',
  },
  FieldCode: {
    type: 'string',
    enum: [...fieldCodes],
    description: 'What is wrong with a field, for programs. More may be added.',
  },
  Problem: {
    type: 'object',
    description:
      'The same as problem details (RFC 9457), with the members of an error beside these.',
    required: [
      'type',
      'title',
      'status',
      'detail',
      'instance',
      'error',
      'code',
      'errors',
      'request_id',
    ],
    properties: {
      type: {
        type: 'string',
        format: 'uri',
        description: 'The address of what is said of the code.',
      },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      instance: { type: 'string', description: 'The id of the request.' },
      ...invalid.properties,
    },
  },
  Error: error,
  Invalid: invalid,
};
