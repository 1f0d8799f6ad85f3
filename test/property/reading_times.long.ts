/** Twice as long a text takes at most three times as long: `reading_times.attack.ts` tries all readers. */
import { expect, test } from '@jest/globals';
import { fewReaders } from './readers.ts';
import { steepReaders } from './reading_times.ts';

test('a reader that is worse than linear is noticed', async () => {
  const composed = (text: string) => text.normalize('NFC');
  const steep = await steepReaders({ composed }, 1);
  expect(steep).toEqual([expect.stringContaining('composed, marks of two classes')]);
});

test('no reader takes longer for a text than its length allows', async () => {
  expect(await steepReaders(fewReaders, 1)).toEqual([]);
});
