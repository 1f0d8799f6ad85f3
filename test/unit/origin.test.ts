import { expect, test } from '@jest/globals';
import { readOrigin } from '../../src/config/origin.ts';

test.each([
  ['https://crm.example.com', 'https://crm.example.com'],
  ['https://CRM.example.com:443/', 'https://crm.example.com'],
  ['https://127.0.0.1:8443', 'https://127.0.0.1:8443'],
  ['https://[::1]:8443/', 'https://[::1]:8443'],
  ['http://localhost:8080', 'http://localhost:8080'],
])('%s is %s', (text, origin) => {
  expect(readOrigin(text)).toBe(origin);
});

test.each([
  '',
  'crm.example.com',
  'crm.example.com:8443',
  '//crm.example.com',
  'http://crm.example.com',
  'http://localhost.example.com',
  'ftp://localhost',
  'javascript://localhost',
  'https://',
  'https://ada@crm.example.com',
  'https://ada:secret@crm.example.com',
  'https://crm.example.com/crm',
  'https://crm.example.com//',
  'https://crm.example.com?',
  'https://crm.example.com/?a',
  'https://crm.example.com#',
  'https://ev il.example.com',
  'https://crm.example.com:65536',
])('%s is not an origin', (text) => {
  expect(readOrigin(text)).toBeUndefined();
});
