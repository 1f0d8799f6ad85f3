/** Which documents are still known. */
import { expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { documentCache } from '../../src/graphql/document_cache.ts';

const small = parse('{ __typename }');
/** Of about as many tokens as a document may have. */
const large = parse(`{ ${'a '.repeat(1900)} }`);

async function heldOf(times: number, document = small) {
  const cache = documentCache();
  for (let n = 0; n < times; n += 1) await cache.set(`once ${n}`, document);
  const held = await Promise.all(Array.from({ length: times }, (_, n) => cache.get(`once ${n}`)));
  return held.filter((one) => one !== undefined).length;
}

test('those that came once are a hundred at most, of large ones fewer', async () => {
  expect(await heldOf(50)).toBe(50);
  expect(await heldOf(1000)).toBe(100);
  expect(await heldOf(1000, large)).toBeLessThan(25);
});

test('one that came again stays, however many come once', async () => {
  const cache = documentCache();
  await cache.set('dashboard', small);
  expect(await cache.get('dashboard')).toBe(small);
  for (let n = 0; n < 1000; n += 1) await cache.set(`once ${n}`, large);
  expect(await cache.get('dashboard')).toBe(small);
  // A request that parsed it at the same time adds nothing.
  await cache.set('dashboard', small);
  expect(await cache.delete('dashboard')).toBe(true);
  expect(await cache.get('dashboard')).toBeUndefined();
});

test('those that came again are bounded, too', async () => {
  const cache = documentCache();
  for (let n = 0; n < 1000; n += 1) {
    await cache.set(`${n}`, small);
    await cache.get(`${n}`);
  }
  const held = await Promise.all(Array.from({ length: 1000 }, (_, n) => cache.get(`${n}`)));
  expect(held.filter((one) => one !== undefined)).toHaveLength(250);
});

test('one that came again is found by its text for as long as it stays', async () => {
  const cache = documentCache();
  await cache.set('dashboard', small);
  expect(cache.findByText('{ __typename }')).toBeUndefined();
  await cache.get('dashboard');
  expect(cache.findByText('{ __typename }')).toBe(small);
  expect(cache.findByText('{ __typename  }')).toBeUndefined();
  for (let n = 0; n < 250; n += 1) {
    await cache.set(`${n}`, parse(`{ a${n}: __typename }`));
    await cache.get(`${n}`);
  }
  expect(cache.findByText('{ a0: __typename }')).toBe(await cache.get('0'));
  expect(cache.findByText('{ __typename }')).toBeUndefined();
  await cache.delete('0');
  expect(cache.findByText('{ a0: __typename }')).toBeUndefined();
});
