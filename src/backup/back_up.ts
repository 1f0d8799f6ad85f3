import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { storeSecrets } from '../auth/secret.ts';
import { releaseLock, takeLock } from '../db/migrations/session.ts';
import {
  copySource,
  quoted,
  readApplied,
  readSequences,
  readTables,
  type Table,
} from './catalogue.ts';
import { withClient } from './client.ts';
import { fileOf, type Manifest, manifestIn } from './manifest.ts';

/**
 * Writes everything that a database holds into a new directory, as it is at one moment, while others read
 * and write. Nobody but its owner may read it, and it is there whole or not at all.
 * @param secrets what signs tokens and what did before, to be kept with them; none when they are kept
 *   elsewhere
 * @throws when there is something at `directory`
 */
export async function backUp(
  url: string,
  directory: string,
  secrets: readonly string[],
): Promise<Manifest> {
  const place = resolve(directory);
  await assertFree(place);
  const unfinished = await mkdtemp(`${place}.unfinished-`);
  try {
    const manifest = await withClient(url, (client) => copyAll(client, unfinished));
    if (secrets.length > 0) await storeSecrets(unfinished, secrets);
    await write(manifestIn(unfinished), `${JSON.stringify(manifest, null, 2)}\n`);
    await flush(unfinished);
    await assertFree(place);
    await rename(unfinished, place);
    await flush(dirname(place));
    return manifest;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function assertFree(place: string): Promise<void> {
  const stats = await lstat(place).catch(() => undefined);
  if (stats) throw new Error(`There is something at ${place} already: name a new directory`);
}

const write = (path: string, text: string) =>
  writeFile(path, text, { mode: 0o600, flag: 'wx', flush: true });

/** A power cut must not take back the names of files whose contents are on disk. */
async function flush(directory: string): Promise<void> {
  const handle = await open(directory);
  await handle.sync().finally(() => handle.close());
}

async function copyAll(client: pg.Client, directory: string): Promise<Manifest> {
  const tables = await beginSnapshot(client);
  const { rows } = await client.query<{ version: string; now: Date }>(
    "SELECT current_setting('server_version') AS version, now()",
  );
  const migrations = await readApplied(client);
  const copied: Manifest['tables'] = [];
  for (const table of tables) copied.push(await copyTable(client, table, directory));
  // Sequences know no snapshot. Read now, none is behind the rows that were copied.
  const sequences = await readSequences(client);
  await client.query('COMMIT');
  return {
    format: 1,
    made_at: (rows[0]?.now ?? new Date()).toISOString(),
    postgresql: rows[0]?.version ?? '',
    migrations: [...migrations],
    tables: copied,
    sequences: [...sequences],
  };
}

/**
 * Begins a transaction that sees one moment, and in which no table can be changed. A migration between
 * the two could rewrite one, and an older snapshot sees no rows in a rewritten table.
 */
async function beginSnapshot(client: pg.Client): Promise<readonly Table[]> {
  await takeLock(client);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  const tables = await readTables(client);
  if (tables.length > 0) {
    const names = tables.map(({ name }) => quoted(name)).join(', ');
    await client.query(`LOCK TABLE ${names} IN ACCESS SHARE MODE`);
  }
  await releaseLock(client);
  return tables;
}

async function copyTable(
  client: pg.Client,
  table: Table,
  directory: string,
): Promise<Manifest['tables'][number]> {
  const { name, columns } = table;
  const source = client.query(copyTo(`COPY ${copySource(table)} TO STDOUT`));
  const hash = createHash('sha256');
  await pipeline(
    source,
    createGzip({ level: 1 }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(fileOf(directory, name), { mode: 0o600, flags: 'wx', flush: true }),
  );
  return { name, columns: [...columns], rows: source.rowCount, sha256: hash.digest('hex') };
}
