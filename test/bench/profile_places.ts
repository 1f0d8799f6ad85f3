/** Whose the time is that V8's profiler saw a process spend. */
import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Group = 'src' | 'packages' | 'Node' | 'V8';

export interface Place {
  readonly group: Group;
  /** A room of src, a package, a part of Node. */
  readonly name: string;
}

/** Time that was spent somewhere itself, what it called left out, in microseconds. */
export interface TimeSpent {
  readonly place: Place;
  readonly function: string;
  readonly file: string;
  readonly time: number;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Node extends Profiler.ProfileNode {
  readonly parent?: Node;
}

/** @returns all but idle time, and that of the profiler itself */
export function spentIn({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): TimeSpent[] {
  const times = new Map<number, number>();
  for (const [at, id] of samples.entries()) {
    times.set(id, (times.get(id) ?? 0) + (timeDeltas[at] ?? 0));
  }
  const byId = withParents(nodes);
  return [...times].flatMap(([id, time]) => {
    const node = byId.get(id);
    const place = node && placeOf(node);
    if (!place) return [];
    const { functionName } = node.callFrame;
    const file = placeInFile(node) ?? place.name;
    return [{ place, function: functionName || '(anonymous)', file, time }];
  });
}

function withParents(nodes: readonly Profiler.ProfileNode[]): ReadonlyMap<number, Node> {
  const found = new Map<number, Node>(nodes.map((node) => [node.id, { ...node }]));
  for (const { id, children = [] } of nodes) {
    const parent = found.get(id);
    for (const child of children) {
      const node = found.get(child);
      if (node && parent) found.set(child, Object.assign(node, { parent }));
    }
  }
  return found;
}

const special: Readonly<Record<string, Place | null>> = {
  '(root)': null,
  '(idle)': null,
  '(garbage collector)': { group: 'V8', name: 'garbage collection' },
  '(program)': { group: 'V8', name: 'outside JavaScript (reads from sockets, event loop)' },
};

/** Native functions of a socket that write. */
const writing = /^(writev|write(Buffer|Utf8String|Latin1String|AsciiString)|shutdown)$/;

/** @returns null for what is nobody's work */
function placeOf(node: Node): Place | null {
  const { functionName, url } = node.callFrame;
  if (url) return placeOfFile(sourceOf(node).path);
  const known = special[functionName];
  if (known !== undefined) return known;
  if (writing.test(functionName)) return { group: 'Node', name: `writes to ${receiverOf(node)}` };
  // A native function, or one that was compiled from text, counts for its caller.
  return node.parent ? placeOf(node.parent) : null;
}

/** An answer is written by Node's HTTP, a statement by what speaks PostgreSQL's protocol. */
function receiverOf({ parent }: Node): 'clients' | 'PostgreSQL' {
  for (let above = parent; above?.callFrame.url.startsWith('node:'); above = above.parent) {
    if (above.callFrame.url.startsWith('node:_http')) return 'clients';
  }
  return 'PostgreSQL';
}

/** @returns a path and a 1-based line */
function placeInFile(node: Node): string | undefined {
  if (!node.callFrame.url) return undefined;
  const { path, line } = sourceOf(node);
  return `${path}:${line}`;
}

interface Source {
  readonly path: string;
  readonly line: number;
}

/** The module that a bundle holds at that place, with the line counted from where it begins there. */
function sourceOf({ callFrame: { url, lineNumber } }: Node): Source {
  const path = pathOf(url);
  const source = /^dist\/(?!modules\/)/.test(path)
    ? modulesOf(path).findLast(({ line }) => line <= lineNumber)
    : undefined;
  return source
    ? { path: source.path, line: lineNumber - source.line }
    : { path, line: lineNumber + 1 };
}

const bundles = new Map<string, readonly Source[]>();

/** esbuild writes a module's path as a comment above it. */
function modulesOf(bundle: string): readonly Source[] {
  const modules =
    bundles.get(bundle) ??
    readFileSync(join(root, bundle), 'utf8')
      .split('\n')
      .flatMap((text, line) => {
        const path = /^\s*\/\/ ((?:src|node_modules)\/\S+)$/.exec(text)?.[1];
        return path === undefined ? [] : [{ path, line }];
      });
  bundles.set(bundle, modules);
  return modules;
}

/** Relative to the project, if it is in there. */
const pathOf = (url: string) =>
  url.startsWith('file:') ? fileURLToPath(url).replace(root, '') : url;

function placeOfFile(path: string): Place | null {
  if (path === 'node:inspector' || path.endsWith('profiled.mjs')) return null;
  const part = /^node:(?:internal\/)?_?(\w+)/.exec(path)?.[1];
  if (part) return { group: 'Node', name: partOfNode(part) };
  const installed = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  if (installed) return { group: 'packages', name: installed };
  const room = /^(?:dist\/modules|src)\/(?:([^/]+)\/)?/.exec(path);
  return { group: 'src', name: room ? (room[1] ?? '(its own files)') : path };
}

function partOfNode(module: string): string {
  if (module.startsWith('http')) return 'http';
  if (/^(net|tls\w*|stream_base_commons)$/.test(module)) return 'net, tls';
  if (/^streams?$/.test(module)) return 'streams';
  return module;
}
