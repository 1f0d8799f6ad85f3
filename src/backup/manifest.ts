import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

/** What a backup holds. Its file is written last: a directory without it is not a backup. */
const manifest = z.object({
  format: z.literal(1),
  made_at: z.iso.datetime(),
  postgresql: z.string(),
  /** Those that its tables had seen. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  /** Each behind those that it refers to. */
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.int().min(0),
      /** Of the file, in hexadecimal. */
      sha256: z.string(),
    }),
  ),
  sequences: z.array(
    z.object({ name: z.string(), last_value: z.string(), is_called: z.boolean() }),
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
  const text = await readFile(manifestIn(directory), 'utf8').catch((error: unknown) => {
    throw new Error(`There is no backup in ${directory}`, { cause: error });
  });
  const read = manifest.safeParse(JSON.parse(text));
  if (!read.success) throw new Error(`The backup in ${directory} is of a form that is not known`);
  for (const { name, sha256 } of read.data.tables) {
    const path = fileOf(directory, name);
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash).catch((error: unknown) => {
      throw new Error(`The backup lacks ${path}`, { cause: error });
    });
    if (hash.digest('hex') !== sha256) throw new Error(`The backup is damaged: ${path}`);
  }
  return read.data;
}
