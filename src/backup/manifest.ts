import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';

/** Bytes that the file may have. */
const maxBytes = 16 * 1024 * 1024;

/**
 * A name as the tables, columns and sequences of this service have it. Names of tables become names of
 * files, so that none may lead out of the directory.
 */
const name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);

/** No two of these may have the same name. */
const named = <T extends { readonly name: string }>(item: z.ZodType<T>) =>
  z.array(item).refine((all) => new Set(all.map((one) => one.name)).size === all.length);

/** What a backup holds. Its file is written last: a directory without it is not a backup. */
const manifest = z.object({
  format: z.literal(1),
  made_at: z.iso.datetime(),
  postgresql: z.string(),
  /** Those that its tables had seen. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  /** Each behind those that it refers to. */
  tables: named(
    z.object({
      name,
      columns: z.array(name).refine((all) => new Set(all).size === all.length),
      rows: z.int().min(0),
      /** Of the file, in hexadecimal. */
      sha256: z.string().regex(/^[\da-f]{64}$/),
    }),
  ),
  sequences: named(
    z.object({ name, last_value: z.string().regex(/^\d{1,19}$/), is_called: z.boolean() }),
  ),
});

export type Manifest = z.infer<typeof manifest>;

export const manifestIn = (directory: string): string => join(directory, 'backup.json');

/** The rows of a table in PostgreSQL's own text form, compressed. */
export const fileOf = (directory: string, table: string): string =>
  join(directory, `${table}.copy.gz`);

/**
 * Reads what a backup holds, and all of its files, before anything is done with them.
 * @throws when there is no backup, or a file is not as it was written
 */
export async function readBackup(directory: string): Promise<Manifest> {
  const file = manifestIn(directory);
  const { size } = await stat(file).catch((error: unknown) => {
    throw new Error(`There is no backup in ${directory}`, { cause: error });
  });
  if (size > maxBytes) throw new Error(`The backup is damaged: ${file} has more than 16 MiB`);
  const result = manifest.safeParse(parsed(await readFile(file, 'utf8')));
  if (!result.success) {
    const [issue] = result.error.issues;
    const at = issue?.path.length ? `: ${issue.path.join('.')} of ${file} is not valid` : '';
    throw new Error(`The backup in ${directory} is of a form that is not known${at}`);
  }
  for (const { name, sha256 } of result.data.tables) {
    const path = fileOf(directory, name);
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash).catch((error: unknown) => {
      throw new Error(`The backup lacks ${path}`, { cause: error });
    });
    if (hash.digest('hex') !== sha256) throw new Error(`The backup is damaged: ${path}`);
  }
  return result.data;
}

/** @returns undefined for a text that is not JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
