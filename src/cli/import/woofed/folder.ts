/** Files of what the system's API answers: pages of searches, and answers for single records. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isJsonObject, parseJson } from '../../../json/json.ts';
import { CommandError } from '../../command_error.ts';
import {
  type Foreign,
  foreigner,
  foreigners,
  type ListedKind,
  listIn,
  type Source,
} from './source.ts';

/** A file is read whole. */
const largest = 64 * 1024 * 1024;

/** Which files have each record, the one with the most of it last. */
type Places = ReadonlyMap<number, readonly string[]>;

/** @param folder whose files begin with what is in them (`contacts-1.json`), or lie in folders called so */
export async function folderOf(folder: string): Promise<Source> {
  const files = await filesIn(folder);
  if (files.length === 0) throw new CommandError(`${folder} has no file such as contacts-1.json`);
  const known = new Map<ListedKind, Promise<Places>>();
  const placesOf = (kind: ListedKind) => {
    const places = known.get(kind) ?? index(filesOf(files, folder, kind));
    known.set(kind, places);
    return places;
  };
  const readRecords = rememberingLast(recordsIn);
  return {
    async *pages(kind) {
      const places = await placesOf(kind);
      for (const file of filesOf(files, folder, kind)) {
        yield (await recordsIn(file)).filter(({ id }) => places.get(id)?.at(-1) === file);
      }
    },
    one: async (kind, id) => {
      const file = (await placesOf(kind)).get(id)?.at(-1);
      return file === undefined
        ? undefined
        : (await readRecords(file)).find((one) => one.id === id);
    },
    pipelines: async () => {
      const own = filesOf(files, folder, 'pipelines');
      if (own.length === 0) return undefined;
      return (await Promise.all(own.map(recordsIn))).flat();
    },
  };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

const filesOf = (files: readonly string[], folder: string, kind: string) =>
  files.filter((file) => {
    const [first = ''] = file.slice(folder.length).split(/[\\/]/).filter(Boolean);
    const named = (name: string) =>
      name === kind || (name.startsWith(kind) && !/^[a-z_]/.test(name.slice(kind.length)));
    return named(first) || named(basename(file));
  });

async function index(files: readonly string[]): Promise<Places> {
  const places = new Map<number, string[]>();
  for (const file of files) {
    for (const record of await recordsIn(file)) {
      const own = places.get(record.id);
      if (!own) places.set(record.id, [file]);
      else if (isWhole(record)) own.push(file);
      else own.unshift(file);
    }
  }
  return places;
}

/** Whether it is an answer for one record, with what comes with that. */
const isWhole = (record: Foreign) => 'events' in record || 'deal_products' in record;

async function recordsIn(file: string): Promise<readonly Foreign[]> {
  if ((await stat(file)).size > largest) {
    throw new CommandError(`${file} has more than 64 MiB: divide it`);
  }
  let answer: unknown;
  try {
    answer = parseJson(await readFile(file, 'utf8'));
  } catch {
    throw new CommandError(`${file} is no JSON`);
  }
  const isPage = Array.isArray(answer) || (isJsonObject(answer) && 'data' in answer);
  return isPage ? foreigners(listIn(answer)) : foreigners([foreigner(answer)]);
}

/** Records of one file are asked for one after the other, mostly. */
function rememberingLast<T>(read: (file: string) => Promise<T>): (file: string) => Promise<T> {
  let last: { readonly file: string; readonly content: Promise<T> } | undefined;
  return (file) => {
    if (last?.file !== file) last = { file, content: read(file) };
    return last.content;
  };
}
