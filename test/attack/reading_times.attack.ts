/** Every reader of a client's text, with texts of all classes that begin and end in all ways. */
import { expect, test } from '@jest/globals';
import { readers } from '../property/readers.ts';
import { steepReaders } from '../property/reading_times.ts';

test('no reader takes longer for a text than its length allows', async () => {
  expect(await steepReaders(readers)).toEqual([]);
}, 900_000);
