/** JSON read a part at a time, which must come to what is parsed in one go. */
import { expect, test } from '@jest/globals';
import { LongNumber, parseJson, parseLongJson, sourceOf } from '../../src/json/json.ts';

const parse = async (text: string) => {
  let turns = 0;
  const value = await parseLongJson(text, async () => {
    turns += 1;
  });
  return { value, turns };
};

const long = 'x'.repeat(40_000);
const keys = (count: number) =>
  Array.from({ length: count }, (_, at) => `"key ${at}": ${at % 3 === 0 ? '1.50' : `"${at}"`}`);

test.each<[string, string]>([
  ['many keys', `{${keys(5000)}}`],
  ['many keys within a record', `{"a": [{"b": {${keys(5000)}}, "c": 1e0}], "d": {"e": 1.0}}`],
  ['many records', `[${Array.from({ length: 2000 }, () => `{${keys(5)}}`).join(' ,\n')}]`],
  ['a list in a list', `[[${Array(30_000).fill('12345678901234567890')}], [], {}, [1.0]]`],
  ['long texts', `{"a": "${long}", "b": ["${long}", "\\"${long}\\\\"], "c": "${long}"}`],
  ['blanks', `  {"a" :${' '.repeat(40_000)}[ ${'\n'.repeat(40_000)} ] , "b":\t{ }  }  `],
  ['equal keys', `{"a": "${long}", "a": {"b": "${long}", "b": 2}, "c": 1, "a": 3}`],
  ['a key that objects inherit', `{"__proto__": {"a": "${long}"}, "b": {"__proto__": 1.0}}`],
  ['keys like indices', `{"10": "${long}", "2": "${long}", "1": 1}`],
  ['escaped keys', `{"\\u0061": {"b": "${long}"}, "\\"": ["${long}", {"\\\\": 1}]}`],
  ['a long text alone', `"${long}"`],
  ['deep nesting', `${'['.repeat(900)}"${long}"${']'.repeat(900)}`],
])('%s are what they are in one go, with what was written', async (_, text) => {
  const { value } = await parse(text);
  expect(value).toEqual(parseJson(text));
  expect(sourceOf(value)).toBe(sourceOf(parseJson(text)));
});

test('a number that JavaScript would alter is kept in every part', async () => {
  const { value } = await parse(`{"a": "${long}", "b": 9007199254740993, "c": [9007199254740993]}`);
  const kept = new LongNumber('9007199254740993');
  expect(value).toEqual({ a: long, b: kept, c: [kept] });
});

test('others have their turn after each 32 KiB', async () => {
  const { turns } = await parse(`{"records": [{"a": {${keys(40_000)}}}]}`);
  expect(turns).toBeGreaterThan(20);
});

test.each(['x', '\\\\', '\\"', '\\u0041', '\\ud83d\\ude00', '\\\\\\u0041x', '😀', 'ab\\n'])(
  'a text of %j is read in parts that cut none of its escapes, wherever it begins',
  async (piece) => {
    const repeated = piece.repeat(Math.ceil(100_000 / piece.length));
    for (let shift = 0; shift < 13; shift += 1) {
      const text = `"${'x'.repeat(shift)}${repeated}"`;
      const whole = `{"a":${text},${text}:[${text},1]}`;
      const { value, turns } = await parse(whole);
      expect(value).toEqual(JSON.parse(whole));
      expect(turns).toBeGreaterThan(8);
    }
  },
);

test('what no string may hold is told where it is, in every part', async () => {
  for (const at of [10, 40_000, 90_000]) {
    const text = `{"a":"${'x'.repeat(at)}\n${long}${long}"}`;
    const place = (error: Error) => /at position \d+/.exec(error.message)?.[0];
    const inOneGo = await Promise.resolve(text).then(JSON.parse).catch(place);
    expect(await parse(text).catch(place)).toBe(inOneGo);
  }
});

test.each(['[', '{"a":', '[{"a":['])(
  '%s nested too deep is refused in every part',
  async (open) => {
    const text = open.repeat(2000);
    await expect(parse(`${text}"${long}"`)).rejects.toThrow('is nested deeper than 1000 levels');
  },
);

const whole = `{"a": [1, {"b": "${long}", "c": true}], "d": {"e": ["${long}", null, -1.5e3]}}`;
const places = [...whole].flatMap((character, at) =>
  character === 'x' && at % 10_000 !== 0 ? [] : at,
);

test('what breaks off anywhere is refused', async () => {
  for (const at of places) {
    await expect(parse(whole.slice(0, at))).rejects.toThrow(SyntaxError);
  }
});

test.each([',', '}', ']', ':', '\u0000', '\u00a0', '{', '[', 'e', '-', '\\', '"'])(
  'with %j anywhere, it is JSON where JSON.parse says so',
  async (character) => {
    for (const at of places) {
      for (const from of [at, at + 1]) {
        const text = whole.slice(0, at) + character + whole.slice(from);
        let expected: unknown = SyntaxError;
        try {
          expected = JSON.parse(text);
        } catch {}
        const found = await parse(text).then(
          ({ value }) => value,
          (error) => error.constructor,
        );
        expect(found).toEqual(expected);
      }
    }
  },
);

test('a fault is told where it is', async () => {
  const at = whole.indexOf('null');
  const text = `${whole.slice(0, at)}1 ${whole.slice(at)}`;
  const place = (error: Error) => /at position \d+/.exec(error.message)?.[0];
  const inOneGo = await Promise.resolve(text).then(JSON.parse).catch(place);
  expect(await parse(text).catch(place)).toBe(inOneGo);
});
