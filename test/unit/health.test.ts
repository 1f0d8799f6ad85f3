import { expect, jest, test } from '@jest/globals';
import { remembered } from '../../src/http/health.ts';

test('all who ask before an answer has come share it, and so do those in the half second after', async () => {
  jest.useFakeTimers();
  let asked = 0;
  const answers: ((said: string) => void)[] = [];
  const ask = remembered(() => {
    asked += 1;
    return new Promise<string>((resolve) => answers.push(resolve));
  });
  const first = ask();
  jest.advanceTimersByTime(5000);
  const second = ask();
  answers[0]?.('one');
  expect(await Promise.all([first, second, ask()])).toEqual(['one', 'one', 'one']);
  jest.advanceTimersByTime(499);
  expect([await ask(), asked]).toEqual(['one', 1]);
  jest.advanceTimersByTime(1);
  const third = ask();
  answers[1]?.('two');
  expect([await third, asked]).toEqual(['two', 2]);
  jest.useRealTimers();
});
