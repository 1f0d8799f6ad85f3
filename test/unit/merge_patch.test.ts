import { describe, expect, test } from '@jest/globals';
import { mergePatch } from '../../src/json/json.ts';

describe('mergePatch', () => {
  // The examples of RFC 7396, appendix A, whose targets and patches are objects.
  test.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['{"a":"foo"}', '{"a":{"b":1}}', '{"a":{"b":1}}'],
  ])('%s with %s is %s', (text, patch, merged) => {
    expect(mergePatch(text, patch)).toBe(merged);
  });

  test.each([
    [
      'keys keep their order, like integers or not',
      '{"b":1,"2":2,"a":3}',
      '{"1":1,"2":4}',
      '{"b":1,"2":4,"a":3,"1":1}',
    ],
    [
      'numbers stay as they were written',
      '{"n":1.0,"m":12345678901234567890}',
      '{"o":1e400}',
      '{"n":1.0,"m":12345678901234567890,"o":1e400}',
    ],
    [
      'keys of JavaScript are plain ones',
      '{"__proto__":{"a":1}}',
      '{"__proto__":{"b":2},"constructor":1}',
      '{"__proto__":{"a":1,"b":2},"constructor":1}',
    ],
    [
      'one key is the same however it is escaped',
      String.raw`{"\u0061":1}`,
      '{"a":2}',
      String.raw`{"\u0061":2}`,
    ],
    ['nulls in lists are values', '{"a":1}', '{"a":[null,{"b":null}]}', '{"a":[null,{"b":null}]}'],
    ['the text "null" removes nothing', '{"a":1}', '{"a":"null"}', '{"a":"null"}'],
  ])('%s', (_, text, patch, merged) => {
    expect(mergePatch(text, patch)).toBe(merged);
  });

  test.each(['{}', '{"z":null}', '{"a":{"b":1.0}}', '{ "c" : { "d" : null } }'])(
    'a patch that changes nothing, such as %s, leaves the very text',
    (patch) => {
      const text = '{ "a": {"b" : 1.0},\n"c":{} }';
      expect(mergePatch(text, patch)).toBe(text);
    },
  );
});
