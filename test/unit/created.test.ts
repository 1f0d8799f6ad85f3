import { expect, test } from '@jest/globals';
import { tellingAgain } from '../../src/rest/created.ts';

const tell = tellingAgain('create_contact');

test('an answer is made again in its order, of values as the database built them', () => {
  const shown = {
    created_at: '2026-03-01T10:00:00.12+00:00',
    custom_attributes: '{"b": 1, "a": 1.0}',
    full_name: 'Ana "B"',
    app_id: null,
    id: 7,
    label_list: ['x', 'y'],
    version: 42,
  };
  expect(tell(shown, { 'x-ignored-fields': 'mail' })).toEqual({
    headers: { 'x-ignored-fields': 'mail', etag: '"42"' },
    body: '{"id":7,"full_name":"Ana \\"B\\"","label_list":["x","y"],"custom_attributes":{"b": 1, "a": 1.0},"app_id":null,"created_at":"2026-03-01T10:00:00.120Z"}',
  });
});

test('it keeps a field that such a record has no more', () => {
  expect(tell({ id: 7, nickname: 'Ani' }, {})).toEqual({
    headers: {},
    body: '{"id":7,"nickname":"Ani"}',
  });
});
