import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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

const own = fileURLToPath(new URL('../../prisma/migrations/', import.meta.url));

/** Those of this version, to add others to. */
export async function nextMigrations(): Promise<NextMigrations> {
  const directory = await mkdtemp(join(tmpdir(), 'crm migrations '));
  await cp(own, directory, { recursive: true });
  let number = 99990000000000;
  return {
    directory,
    write: async (script) => {
      const name = `${number++}_next`;
      await mkdir(join(directory, name));
      await writeFile(join(directory, name, 'migration.sql'), script);
      return name;
    },
    remove: () => rm(directory, { recursive: true }),
  };
}
