/** Writes the migration from what the migrations yield to what schema.prisma says. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diff } from '../src/db/migrations/migrate.ts';
import { startEmbedded } from '../src/postgres/embedded.ts';

const directory = fileURLToPath(new URL('migrations/', import.meta.url));

/** Migrations are applied in the order of their names, so a new one comes behind all others. */
async function nextNumber(): Promise<number> {
  const numbers = (await readdir(directory)).map((name) => Number.parseInt(name, 10));
  const now = Number(new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14));
  return Math.max(now, ...numbers.filter(Number.isInteger).map((number) => number + 1));
}

/** What is to be done, found on a PostgreSQL that is thrown away. */
async function findChange(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'crm-migration-'));
  try {
    const { url, stop } = await startEmbedded(dataDir);
    return await diff(url).finally(stop);
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

/**
 * The migrations that a change is made of: each index of a table that was there before is one of its own,
 * to be built while others write.
 */
function split(name: string, script: string): readonly (readonly [name: string, script: string])[] {
  const made = [...script.matchAll(/^CREATE TABLE "(\w+)"/gm)].map(([, table]) => table);
  const rest: string[] = [];
  const indexes: [string, string][] = [];
  for (const step of script.trim().split(/\n\n(?=-- )/)) {
    const [, index, table] = /^CREATE (?:UNIQUE )?INDEX "(\w+)" ON "(\w+)"/m.exec(step) ?? [];
    if (index === undefined || made.includes(table)) rest.push(step);
    else indexes.push([index, step.replace(/^CREATE (UNIQUE )?INDEX/m, '$& CONCURRENTLY')]);
  }
  return rest.length === 0 ? indexes : [[name, rest.join('\n\n')], ...indexes];
}

async function write(name: string): Promise<string> {
  const change = await findChange();
  if (change === '') return 'The migrations yield what prisma/schema.prisma says.';
  let said = '';
  for (const [title, script] of split(name, change)) {
    const folder = join('prisma', 'migrations', `${await nextNumber()}_${title}`);
    await mkdir(folder);
    await writeFile(join(folder, 'migration.sql'), `${script}\n`);
    said += `${script}\n\nis in ${folder}\n\n`;
  }
  return `${said}Read it before you keep it: see prisma/README.md.`;
}

const [name = '', ...more] = process.argv.slice(2);
if (/^[a-z0-9_]{1,100}$/.test(name) && more.length === 0) {
  process.stdout.write(`${await write(name)}\n`);
} else {
  process.stderr.write('npm run migration -- name_of_small_letters_and_digits\n');
  process.exitCode = 1;
}
