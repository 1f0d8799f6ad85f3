import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  Excess,
  hasMoreValues,
  isJsonObject,
  JsonText,
  LongNumber,
  parseJson,
  sourceOf,
  stringifyJson,
} from '../../src/json/json.ts';

/** The value under a key, whatever the object is. */
const at = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value);

const source = (value: unknown): string =>
  typeof value === 'object' && value !== null ? sourceOf(value) : '';

describe('parseJson', () => {
  test.each([
    '{"a":1}',
    '[1,"x",null,true,false,{}]',
    '"x"',
    '1',
    'null',
    ' \n\t{ "a" : [ ] } ',
    '{"":{"":""}}',
    '"\\ud83d\\ude00"',
  ])('reads %s as JSON.parse does', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  test.each([
    '',
    '{',
    '{"a":}',
    '[1,]',
    '01',
    '1.',
    '.5',
    '+1',
    'NaN',
    "{'a':1}",
    '{"a":1}x',
    '"\n"',
    '\ufeff{}',
  ])('%j is a SyntaxError', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test.each([
    '12345678901234567890',
    '9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    '0.1234567890123456789',
    '1.00000000000000000001',
    '0.30000000000000004',
    '9007199254740992',
    '-9007199254740993',
    '1234567890123456.0',
    '1e100',
    '1e-100',
  ])('keeps %s, which a number might alter', (text) => {
    for (const value of [
      parseJson(text),
      at(parseJson(`{"a":${text}}`), 'a'),
      at(parseJson(`[${text}]`), '0'),
    ]) {
      expect(value).toBeInstanceOf(LongNumber);
      expect(at(value, 'text')).toBe(text);
    }
  });

  test.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['1e99', 1e99],
    ['1E-99', 1e-99],
    ['-0', -0],
    ['1.0', 1],
    ['1e2', 100],
    ['1E+2', 100],
    ['100e-2', 1],
    ['0.10', 0.1],
    ['0.1', 0.1],
    ['0.000', 0],
  ])('reads %s as the number that it is', (text, number) => {
    expect(parseJson(text)).toBe(number);
  });

  test('of equal keys the last wins, whatever the kinds', () => {
    expect(parseJson('{"a":1e400,"a":2}')).toEqual({ a: 2 });
    expect(parseJson('{"a":{"b":1e400},"a":{"b":2}}')).toEqual({ a: { b: 2 } });
    expect(parseJson('{"a":[1e400],"a":{"0":2}}')).toEqual({ a: { 0: 2 } });
    expect(at(parseJson('{"a":2,"a":1e400}'), 'a')).toBeInstanceOf(LongNumber);
    expect(parseJson('{"a":"x","a":5}')).toEqual({ a: 5 });
    expect(parseJson('{"a":12345678901234567890,"a":"x"}')).toEqual({ a: 'x' });
  });

  test('of equal keys whose numbers are long and short the last wins at any depth', () => {
    const text = (first: string, last: string) => `{"x":[{"a":${first}},1],"x":[{"a":${last}},1]}`;
    expect(parseJson(text('1e400', '2'))).toEqual({ x: [{ a: 2 }, 1] });
    expect(parseJson(text('2', '1e400'))).toEqual({ x: [{ a: new LongNumber('1e400') }, 1] });
    expect(parseJson(text('1e400', '1e500'))).toEqual({ x: [{ a: new LongNumber('1e500') }, 1] });
    expect(parseJson(text('1e400', '1234567890123456'))).toEqual({
      x: [{ a: 1_234_567_890_123_456 }, 1],
    });
  });

  test('what an object inherits is none of its keys', () => {
    parseJson('{"a":{"__proto__":{"x":1e400,"y":{}}},"a":{},"b":{"constructor":{}},"b":{}}');
    expect(sourceOf(Object.prototype)).toBe('{}');
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });

  test.each([
    ['1', 1],
    ['[]', 1],
    ['{ }', 1],
    ['[[],{}]', 3],
    ['[1,"2,3",{"a":[4]}]', 6],
    ['["\\"[,é","\\\\",[ ]]', 4],
    ['["not closed, and [ no more', 2],
  ])('counts the values of %s', (text, count) => {
    expect(hasMoreValues(Buffer.from(text), count)).toBe(false);
    expect(hasMoreValues(Buffer.from(text), count - 1)).toBe(true);
  });

  test('a key written with escapes is the key that it is', () => {
    expect(at(parseJson('{"\\u0061":1e400}'), 'a')).toBeInstanceOf(LongNumber);
  });

  test('__proto__ is a key like any other', () => {
    const value = parseJson('{"__proto__":{"a":1e400}}');
    expect(Object.keys(Object(value))).toEqual(['__proto__']);
    expect(Reflect.get({}, 'a')).toBeUndefined();
    expect(source(Object.getOwnPropertyDescriptor(value, '__proto__')?.value)).toBe('{"a":1e400}');
  });

  test('1,000 levels are read, one more is an Excess, a million is no crash', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(() => parseJson(nested(1000))).not.toThrow();
    expect(() => parseJson(nested(1002))).toThrow(Excess);
    expect(() => parseJson(`${'{"a":'.repeat(1002)}1${'}'.repeat(1002)}`)).toThrow(Excess);
    expect(() => parseJson('['.repeat(1_000_000))).toThrow();
    expect(() => parseJson(nested(100_000))).toThrow();
  });
});

describe('sourceOf', () => {
  test.each([
    '{"b":1,"2":2,"a":3,"1":4}',
    '{ "a" : [ 1.0 , 1e2 ] }',
    '{"a":"}{\\"]["}',
    '{}',
    '{"a":{"a":{"a":12345678901234567890}}}',
  ])('is the text of an object as it came: %s', (text) => {
    expect(source(parseJson(text))).toBe(text);
    expect(source(at(parseJson(`{"x":[0,${text}]}`), 'x', '1'))).toBe(text);
  });

  test('of equal keys, the text of the one that counts', () => {
    expect(source(at(parseJson('{"a":{"b":1},"a":{"c":2}}'), 'a'))).toBe('{"c":2}');
  });

  test('of anything that was not received it is put together from what was', () => {
    const { n, list } = Object(parseJson('{"n":{"2":1,"1":1e400},"list":[1e400,{ "2":1.0}]}'));
    expect(sourceOf({ a: [1] })).toBe('{"a":[1]}');
    expect(sourceOf({ n, 'a"b': [n, null, 'x"', true, undefined], list })).toBe(
      '{"n":{"2":1,"1":1e400},"a\\"b":[{"2":1,"1":1e400},null,"x\\"",true,null],"list":[1e400,{ "2":1.0}]}',
    );
  });

  test.each([
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    ['{"2":1,"1":1,"2":1.0}', '{"2":1.0,"1":1}'],
    [String.raw`{"a":"\ud800","\u0061":1}`, String.raw`{"\u0061":1}`],
    ['{"b":{"x":1,"x":2},"c":[{"y":1,"z":[],"y":{}}]}', '{"b":{"x":2},"c":[{"y":{},"z":[]}]}'],
    ['{"b":{"x":1,"x":2},"b":{ "c":1}}', '{"b":{"c":1}}'],
    ['{"__proto__":1,"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
    ['{"a":[ 1 , "," , 1e400 ],"":1,"":-0.10e+1}', '{"a":[1,",",1e400],"":-0.10e+1}'],
    [
      '{"a":1,"a":"}{\\"][","b":true,"c":null,"d":false}',
      '{"a":"}{\\"][","b":true,"c":null,"d":false}',
    ],
  ])('of %s, which has a key twice, it is %s', (text, once) => {
    expect(source(parseJson(text))).toBe(once);
    expect(source(parseJson(text))).toBe(once);
    expect(source(at(parseJson(`{"x":[${text}]}`), 'x', '0'))).toBe(once);
  });

  test('has the keys, the values and the order that JSON.parse gives, each key once', () => {
    const key = fc.constantFrom('a', 'b', '\\u0061', '__proto__', '\\"', '');
    const scalar = fc.constantFrom('1', '"x,:{"', '"\\\\"', 'null', 'true', '0.5', '{}', '[ ]');
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof({ maxDepth: 4 }, scalar, tie('list'), tie('object')),
      list: fc.array(tie('json'), { maxLength: 3 }).map((values) => `[${values.join(' , ')}]`),
      object: fc
        .array(fc.tuple(key, tie('json')), { maxLength: 5 })
        .map((members) => `{ ${members.map(([name, value]) => `"${name}" :${value}`).join()}}`),
    }));
    fc.assert(
      fc.property(json, (text) => {
        const kept = sourceOf(parseJson(`{"x":${text}}`));
        expect(JSON.stringify(JSON.parse(kept))).toBe(JSON.stringify(JSON.parse(`{"x":${text}}`)));
        const keysIn = (value: string) => value.match(/(?<!:)"(\\.|[^"\\])*" ?:/g)?.length ?? 0;
        const once = JSON.stringify(JSON.parse(kept));
        expect(keysIn(kept)).toBe(keysIn(once));
      }),
    );
  });
});

describe('stringifyJson', () => {
  test('writes what JSON.stringify would', () => {
    const value = { a: [1, 'x"', null, true], b: { c: '\u2028' } };
    expect(stringifyJson(value)).toBe(JSON.stringify(value));
  });

  test('writes embedded JSON as it is, in every place', () => {
    const value = {
      a: new JsonText('{"2":1,"1":1e400}'),
      b: [new JsonText('[]'), new JsonText('"$1 $& \\u0000"')],
    };
    expect(stringifyJson(value)).toBe('{"a":{"2":1,"1":1e400},"b":[[],"$1 $& \\u0000"]}');
  });

  test('a text that looks like a mark stays a text', () => {
    stringifyJson({ a: new JsonText('1') });
    const guess = JSON.parse(JSON.stringify({ a: new JsonText('[1]') }));
    expect(stringifyJson({ a: 'x:0', b: new JsonText('2') })).toBe('{"a":"x:0","b":2}');
    expect(typeof guess.a).toBe('string');
  });
});

test('isJsonObject', () => {
  for (const value of [{}, { a: 1 }, parseJson('{"__proto__":1}')])
    expect(isJsonObject(value)).toBe(true);
  for (const value of [null, undefined, [], 'x', 1, true, parseJson('1e400')])
    expect(isJsonObject(value)).toBe(false);
});

test('a number with a million zeros in it is read in no time', () => {
  const value = at(parseJson(`{"a":0.1${'0'.repeat(1_000_000)}1}`), 'a');
  expect(value instanceof LongNumber && value.exact()).toBeUndefined();
});

test.each([
  ['1.00000000000000000', 1],
  ['9007199254740992', 9_007_199_254_740_992],
  ['5e-324', 5e-324],
  ['0e999', 0],
  ['9007199254740993', undefined],
  ['0.1e-400', undefined],
  ['1e400', undefined],
])('of the long number %s JavaScript has %s', (text, number) => {
  expect(new LongNumber(text).exact()).toBe(number);
});
