/** Random JSON with equal keys and every kind of escape, and what must become of it. */

/** Numbers from 0 to 1, the same for a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A text as it is written, and what it says. */
interface Written {
  readonly raw: string;
  readonly says: string;
}

type Tree =
  | { readonly kind: 'text'; readonly text: Written }
  | { readonly kind: 'plain'; readonly raw: string }
  | { readonly kind: 'list'; readonly elements: readonly Tree[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [Written, Tree])[] };

export interface RandomJson {
  /** As it is sent. */
  readonly sent: string;
  /** As it must be stored; undefined where it cannot be. */
  readonly stored: string | undefined;
}

const written = (raw: string, says: string): Written => ({ raw: `"${raw}"`, says });

const keys: readonly Written[] = [
  ...[
    'a',
    'b',
    'city',
    '1',
    '10',
    '2',
    '',
    ' ',
    '__proto__',
    'constructor',
    'toJSON',
    'é',
    '😀',
  ].map((key) => written(key, key)),
  written(String.raw`\u0061`, 'a'),
  written(String.raw`\u0031`, '1'),
  written(String.raw`c\u0069ty`, 'city'),
  written(String.raw`\u00e9`, 'é'),
  written(String.raw`\ud83d\ude00`, '😀'),
  written(String.raw`\"`, '"'),
  written(String.raw`\\`, '\\'),
  written(String.raw`\\u0000`, String.raw`\u0000`),
];

const texts: readonly Written[] = [
  ...['', 'x', 'Lisbon', "'; --", '日本', '}{"'.replace('"', '')].map((text) =>
    written(text, text),
  ),
  written(String.raw`\n\t\/\b`, '\n\t/\b'),
  written(String.raw`\"},{\"a\":1`, '"},{"a":1'),
  written(String.raw`\uD83D\uDE00`, '😀'),
  written(String.raw`\\ud800`, String.raw`\ud800`),
  written(String.raw`\u005cu0000`, String.raw`\u0000`),
];

/** What PostgreSQL cannot store. */
const poison: readonly Written[] = [
  written(String.raw`\u0000`, '\0'),
  written(String.raw`\\\u0000`, '\\\0'),
  written(String.raw`\ud800`, '\ud800'),
  written(String.raw`\uDFFF`, '\udfff'),
  written(String.raw`\udc00\ud800`, '\udc00\ud800'),
  written(String.raw`\ud83d\ud83d\ude00`, '\ud83d😀'),
];

const plain = [
  ...['0', '-0', '1.0', '1e2', '0.10', '1E+2', '5e-324', '0.30000000000000004'],
  ...['12345678901234567890', '-9007199254740993', '1e400', '1e-400', '1e999999'],
  ...['true', 'false', 'null'],
];

/** @param likely how likely a text or a key is one that cannot be stored */
export function randomObject(random: () => number, likely = 0.01): RandomJson {
  const pick = <T>(of: readonly [T, ...T[]] | readonly T[]): T => {
    const found = of[Math.floor(random() * of.length)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  };
  const text = (usual: readonly Written[]) => pick(random() < likely ? poison : usual);
  const object = (depth: number): Tree => ({
    kind: 'object',
    members: Array.from({ length: Math.floor(random() * 6) }, () => [text(keys), tree(depth + 1)]),
  });
  const tree = (depth: number): Tree => {
    const kind = depth > 4 ? random() * 0.6 : random();
    if (kind < 0.3) return { kind: 'plain', raw: pick(plain) };
    if (kind < 0.6) return { kind: 'text', text: text(texts) };
    if (kind < 0.8) return object(depth);
    const elements = Array.from({ length: Math.floor(random() * 4) }, () => tree(depth + 1));
    return { kind: 'list', elements };
  };
  const root = object(0);
  const blank = () => (random() < 0.1 ? pick([' ', '\n', '\t ']) : '');
  const sent = write(root, blank);
  const once = withKeysOnce(root);
  const stored = write(once, () => '') === write(root, () => '') ? sent : write(once, () => '');
  return { sent, stored: isStorable(once) ? stored : undefined };
}

function write(tree: Tree, blank: () => string): string {
  switch (tree.kind) {
    case 'plain':
      return tree.raw;
    case 'text':
      return tree.text.raw;
    case 'list':
      return `[${tree.elements.map((each) => blank() + write(each, blank)).join(`${blank()},`)}]`;
    case 'object':
      return `{${tree.members
        .map(([key, value]) => `${blank()}${key.raw}${blank()}:${blank()}${write(value, blank)}`)
        .join(`${blank()},`)}${blank()}}`;
  }
}

/** Of equal keys the last stays, in the place of the first. */
function withKeysOnce(tree: Tree): Tree {
  if (tree.kind === 'list') return { kind: 'list', elements: tree.elements.map(withKeysOnce) };
  if (tree.kind !== 'object') return tree;
  const members = tree.members.flatMap(([key], at) => {
    const same = tree.members.filter(([other]) => other.says === key.says);
    const [last] = same.slice(-1);
    const isFirst = tree.members.findIndex(([other]) => other.says === key.says) === at;
    return isFirst && last ? [[last[0], withKeysOnce(last[1])] as const] : [];
  });
  return { kind: 'object', members };
}

function isStorable(tree: Tree): boolean {
  const holds = ({ says }: Written) => !says.includes('\0') && says.isWellFormed();
  if (tree.kind === 'text') return holds(tree.text);
  if (tree.kind === 'list') return tree.elements.every(isStorable);
  if (tree.kind === 'plain') return true;
  return tree.members.every(([key, value]) => holds(key) && isStorable(value));
}

/** A literal of GraphQL, in which a key is a name and stands once. */
export function randomLiteral(random: () => number): RandomJson {
  const names = ['a', 'b', 'city', '__proto__', 'constructor', '_1'] as const;
  const scalars = [
    ...plain.map((raw) => [raw, raw] as const),
    [String.raw`"\u0061\n\"\\u0000"`, String.raw`"a\n\"\\u0000"`],
    ['"日本 😀 }{"', '"日本 😀 }{"'],
    ['"""block "text" """', String.raw`"block \"text\" "`],
    ['FREE', '"FREE"'],
  ] as const;
  let storable = true;
  const value = (depth: number): readonly [string, string] => {
    const kind = random();
    if (kind < 0.02) {
      storable = false;
      return [String.raw`"\u0000"`, ''];
    }
    if (depth > 4 || kind < 0.6)
      return scalars[Math.floor(random() * scalars.length)] ?? ['1', '1'];
    if (kind < 0.8) return object(depth);
    const elements = Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1));
    return [`[${elements.map(([sent]) => sent)}]`, `[${elements.map(([, kept]) => kept)}]`];
  };
  const object = (depth: number): readonly [string, string] => {
    const members = names
      .filter(() => random() < 0.4)
      .map((name) => [name, value(depth + 1)] as const);
    return [
      `{ ${members.map(([name, [sent]]) => `${name}: ${sent}`).join(', ')} }`,
      `{${members.map(([name, [, kept]]) => `"${name}":${kept}`)}}`,
    ];
  };
  const [sent, stored] = object(0);
  return { sent, stored: storable ? stored : undefined };
}
