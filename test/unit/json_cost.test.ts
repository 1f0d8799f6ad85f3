/** What reading JSON without loss costs beside `JSON.parse`. */
import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const size = 96 * 1024;

/** A list or an object of as many of a kind as make a large body. */
function many(
  one: (index: number) => string,
  [open, close]: readonly [string, string] = ['[', ']'],
): string {
  const parts: string[] = [];
  for (let length = 0; length < size; length += 1 + (parts.at(-1)?.length ?? 0)) {
    parts.push(one(parts.length));
  }
  return `${open}${parts.join()}${close}`;
}

const braces = ['{', '}'] as const;
const nested = 900;

const forms: Readonly<Record<string, string>> = {
  'empty objects': many(() => '{}'),
  'objects of one key': many(() => '{"a":1}'),
  'empty lists': many(() => '[]'),
  'deep lists': many(() => `${'['.repeat(nested)}${']'.repeat(nested)}`),
  'deep objects': many(() => `${'{"a":'.repeat(nested)}1${'}'.repeat(nested)}`),
  'short numbers': many(() => '0'),
  'long numbers': many((index) => `1234567890${1_000_000_000 + index}`),
  'numbers beyond a double': many(() => '1e400'),
  'many keys': many((index) => `"${index}x":{}`, braces),
  'equal keys': many(() => '"a":{}', braces),
  'equal keys within': many(() => '{"a":1,"a":2}'),
  'short strings': many(() => '"x"'),
  'one string': many(() => `"${'x'.repeat(size)}"`),
  'one string of escapes': many(() => `"${'\\"\\\\'.repeat(size / 4)}"`),
  records: many((index) => `{"id":${index},"name":"Name ${index}","tags":["a"],"more":{"x":1.5}}`),
};

// In a process of its own: Jest's modules reach for each global through a proxy.
const measuring = `
  import { parseJson } from ${JSON.stringify(new URL('../../dist/modules/json/json.js', import.meta.url).href)};
  const timed = (work) => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
  // In turns, so that a machine that is busy for a while is so for both.
  const ratio = (text) => {
    let [ours, theirs] = [Infinity, Infinity];
    for (let round = 0; round < 15; round++) {
      ours = Math.min(ours, timed(() => parseJson(text)));
      theirs = Math.min(theirs, timed(() => JSON.parse(text)));
    }
    return ours / theirs;
  };
  let input = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk;
  const ratios = Object.entries(JSON.parse(input)).map(([name, text]) => [name, ratio(text)]);
  process.stdout.write(JSON.stringify(Object.fromEntries(ratios)));
`;

// It is about twice as much; an entry of a WeakMap for each object made it ten to a hundred times.
test('bodies of every hostile form cost a few times what JSON.parse takes at most', () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', measuring], {
    input: JSON.stringify(forms),
    encoding: 'utf8',
  });
  const ratios: Readonly<Record<string, number>> = JSON.parse(stdout);
  expect(Object.keys(ratios)).toEqual(Object.keys(forms));
  expect(Object.entries(ratios).filter(([, ratio]) => ratio > 8)).toEqual([]);
});
