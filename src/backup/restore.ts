import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrate, ownMigrations } from '../db/migrations/migrate.ts';
import { copyTarget, quoted, readApplied, readSequences, readTables } from './catalogue.ts';
import { withClient } from './client.ts';
import { fileOf, type Manifest } from './manifest.ts';

/**
 * Fills an empty database with a backup: with the tables that the backup was made of, and then migrates
 * them to those of this version.
 * @param manifest of the backup in `directory`, whose files were verified
 * @throws when a newer version made the backup, or the database holds something; then nothing is changed
 */
export async function restore(url: string, directory: string, manifest: Manifest): Promise<void> {
  await assertKnown(manifest);
  await withClient(url, async (client) => {
    await assertOlder(client, manifest);
    for (const { name } of await readTables(client)) await assertEmpty(client, name);
  });
  await migrate(url, { only: manifest.migrations.map(({ name }) => name) });
  await withClient(url, (client) => fill(client, directory, manifest));
  await migrate(url);
  await withClient(url, (client) => client.query('ANALYZE'));
}

async function assertKnown({ migrations }: Manifest): Promise<void> {
  const ours = new Map((await ownMigrations()).map(({ name, checksum }) => [name, checksum]));
  const strange = migrations.find(({ name, checksum }) => ours.get(name) !== checksum);
  if (strange) {
    throw new Error(
      `The backup was made by another version: this one does not know its migration ${strange.name}`,
    );
  }
}

async function assertOlder(client: pg.Client, { migrations }: Manifest): Promise<void> {
  const known = migrations.map(({ name }) => name);
  const newer = (await readApplied(client)).find(({ name }) => !known.includes(name));
  if (newer) {
    throw new Error(
      `The database has seen the migration ${newer.name}, which the backup has not: restore into a new one`,
    );
  }
}

async function assertEmpty(client: pg.Client, table: string): Promise<void> {
  const { rowCount } = await client.query(`SELECT FROM ${quoted(table)} LIMIT 1`);
  if (rowCount !== 0) throw new Error(`The database is not empty: it has rows in ${table}`);
}

/** Whatever a backup names must be there: its names become part of statements. */
async function assertInCatalogue(client: pg.Client, { tables, sequences }: Manifest) {
  const columns = new Map((await readTables(client)).map((one) => [one.name, one.columns]));
  for (const table of tables) {
    const known = columns.get(table.name);
    if (!known) throw new Error(`The backup is damaged: it names the unknown table ${table.name}`);
    const foreign = table.columns.find((column) => !known.includes(column));
    if (foreign) {
      throw new Error(
        `The backup is damaged: it names the unknown column ${table.name}.${foreign}`,
      );
    }
  }
  const counting = new Set((await readSequences(client)).map(({ name }) => name));
  const other = sequences.find(({ name }) => !counting.has(name));
  if (other) throw new Error(`The backup is damaged: it names the unknown sequence ${other.name}`);
}

/** In one transaction, and under locks that keep everybody else from writing. */
async function fill(client: pg.Client, directory: string, manifest: Manifest): Promise<void> {
  const { tables, sequences } = manifest;
  await assertInCatalogue(client, manifest);
  await client.query('BEGIN');
  const names = tables.map(({ name }) => quoted(name)).join(', ');
  if (names !== '') await client.query(`LOCK TABLE ${names} IN SHARE ROW EXCLUSIVE MODE`);
  for (const table of tables) {
    await assertEmpty(client, table.name);
    const target = client.query(copyFrom(`COPY ${copyTarget(table)} FROM STDIN`));
    await pipeline(createReadStream(fileOf(directory, table.name)), createGunzip(), target);
    if (target.rowCount !== table.rows) {
      throw new Error(`${table.name} has ${target.rowCount} rows instead of ${table.rows}`);
    }
  }
  for (const { name, last_value, is_called } of sequences) {
    await client.query('SELECT setval($1::regclass, $2, $3)', [
      quoted(name),
      last_value,
      is_called,
    ]);
  }
  await client.query('COMMIT');
}
