import { expect, test } from '@jest/globals';
import { readForwarded } from '../../src/http/headers/forwarded.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  [' 203.0.113.7:49152 ', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['[2001:db8::7]:49152', '2001:db8::7'],
  ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
  ['198.51.100.1:1,203.0.113.7:2', '198.51.100.1, 203.0.113.7'],
  ['<script>, 203.0.113.7', '203.0.113.7'],
  ['198.51.100.1, <script>, 203.0.113.7', '203.0.113.7'],
  ['198.51.100.1,,203.0.113.7', '203.0.113.7'],
])('%j is %j', (header, addresses) => {
  expect(readForwarded(header)).toBe(addresses);
});

test.each([
  '',
  ',',
  'unknown',
  '<script>',
  '203.0.113.256',
  '203.0.113.7:',
  '203.0.113.7:port',
  '2001:db8::7]:1',
  'fe80::1%eth0',
  `fe80::1%${'x'.repeat(5000)}`,
  '1'.repeat(5000),
  '203.0.113.7, <script>',
])('%j tells no address', (header) => {
  expect(readForwarded(header)).toBeUndefined();
});
