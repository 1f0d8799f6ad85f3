import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Migrations of a version that does not exist yet. */
export interface NextMigrations {
  readonly directory: string;
  /** Adds one that comes after all others: its name. */
  write(script: string): Promise<string>;
  remove(): Promise<void>;
}

/** A version that does not exist yet: this one with more migrations. */
export interface NextVersion extends NextMigrations {
  /** What `startProcess` takes. */
  readonly version: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const migrations = join('prisma', 'migrations');

/** Those of this version, to add others to. */
export const nextMigrations = (): Promise<NextMigrations> => begin();

/** This version as it is built, which can be run beside it, with its migrations to add others to. */
export async function nextVersion(): Promise<NextVersion> {
  const next = await begin();
  for (const part of ['dist', 'package.json', 'schema.graphql']) {
    await cp(join(root, part), join(next.version, part), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(next.version, 'node_modules'));
  return next;
}

async function begin(): Promise<NextVersion> {
  const version = await mkdtemp(join(tmpdir(), 'crm next '));
  const directory = join(version, migrations);
  await cp(join(root, migrations), directory, { recursive: true });
  let number = 99990000000000;
  return {
    version,
    directory,
    write: async (script) => {
      const name = `${number++}_next`;
      await mkdir(join(directory, name));
      await writeFile(join(directory, name, 'migration.sql'), script);
      return name;
    },
    remove: () => rm(version, { recursive: true }),
  };
}
