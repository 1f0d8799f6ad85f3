import { expect, test } from '@jest/globals';
import { encodingFor } from '../../src/http/headers/encoding.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip ; Q=0.3 , BR;q=0.4', 'br'],
  ['br;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['*;q=0, gzip', 'gzip'],
  ['identity', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0, br', 'br'],
  ['gzip;q=nonsense', undefined],
  ['deflate, zstd, compress', undefined],
  [',;, ;q=1,,', undefined],
])('a client that accepts %p gets %p', (accepted, encoding) => {
  expect(encodingFor(accepted)).toBe(encoding);
});
