/** Every code of an error is in one table, in OpenAPI, and in the guide. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { coded, codes, documentCodes, fieldCodes } from '../../src/errors/codes.ts';
import { Fault, Faults } from '../../src/errors/errors.ts';
import { textOf } from '../kit/guides.ts';
import { shipped } from '../kit/shared.ts';

const { openapi } = await shipped<typeof import('../../src/rest/openapi/document.ts')>(
  'rest/openapi/document.js',
);

const source = fileURLToPath(new URL('../../src/', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.startsWith('generated'),
);
/** All codes that the source names, by the expression that precedes them. */
const named = (expression: RegExp): readonly string[] => [
  ...new Set(
    files.flatMap((file) =>
      [...readFileSync(source + file, 'utf8').matchAll(expression)].map(([, code = '']) => code),
    ),
  ),
];

const ofRequests = [...new Set(Object.values(codes).map(({ code }) => code))];

test('every code that the source throws is a row of the table', () => {
  const thrown = named(/(?:new Fault|super)\(\s*'([A-Z_]+)'/g);
  expect(thrown.length).toBeGreaterThan(10);
  expect(thrown.filter((code) => !(code in codes))).toEqual([]);
});

test('every code of a field is used', () => {
  const texts = files.map((file) => readFileSync(source + file, 'utf8')).join('\n');
  // Once in the table.
  const uses = (code: string) => texts.split(`'${code}'`).length - 2;
  expect(fieldCodes.filter((code) => uses(code) < 1)).toEqual([]);
});

test('OpenAPI lists exactly the codes that there are', () => {
  expect(openapi()).toMatchObject({
    components: {
      schemas: { ErrorCode: { enum: ofRequests }, FieldCode: { enum: [...fieldCodes] } },
    },
  });
});

test('the guide has a paragraph for each code, and for no other', () => {
  const [, requests = '', fields = '', documents = ''] =
    textOf('src/docs/api/errors.md').split(/^## .*$/m);
  const paragraphs = (text: string) =>
    [...text.matchAll(/^### (\w+)( \(of a field\))?\n(?=[A-Z`])/gm)].map(([, code]) => code);
  expect(paragraphs(requests).sort()).toEqual(ofRequests.toSorted());
  expect(paragraphs(fields)).toEqual([...fieldCodes]);
  expect(paragraphs(documents)).toEqual([...documentCodes]);
});

test('codes stand in the order of the messages, under the same fields', () => {
  const faults = new Faults();
  faults.add('email', 'is invalid');
  faults.add('email', coded('too_long', 'is too long'));
  faults.addMisplaced({ name: 'mail', message: coded('unknown_field', 'is not a field') });
  const { fields, fieldCodes: told } = faults.fault();
  expect(fields).toEqual({ email: ['is invalid', 'is too long'], mail: ['is not a field'] });
  expect(told).toEqual({ email: ['invalid', 'too_long'], mail: ['unknown_field'] });
});

test('what one refusal says of fields is added to another with its codes', () => {
  const faults = new Faults('INVALID_SEARCH');
  faults.addFault(
    new Fault('INVALID_SEARCH', [], { a: ['b', 'c'] }, undefined, { a: ['invalid', 'blank'] }),
  );
  expect(faults.fault().fieldCodes).toEqual({ a: ['invalid', 'blank'] });
});
