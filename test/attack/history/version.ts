/** The built service with a bug. */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bug } from './bugs.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A module with what the bug has instead. @throws {Error} where that is not there exactly once */
export function patched(text: string, { from, to }: NonNullable<Bug['patches']>[number]): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`is there ${parts.length - 1} times: ${from}`);
  return parts.join(to);
}

/** @returns what `startProcess` takes as a version, and how to remove it */
export async function versionWith({ patches = [] }: Bug) {
  const version = await mkdtemp(join(tmpdir(), 'crm bug '));
  for (const part of ['dist', 'prisma', 'package.json', 'schema.graphql']) {
    await cp(join(root, part), join(version, part), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(version, 'node_modules'));
  // The program is a bundle; its modules are the same, one by one.
  const programs = { 'main.js': 'main.js', 'worker.js': 'process/worker.js' };
  for (const [program, module] of Object.entries(programs)) {
    await writeFile(join(version, 'dist', program), `import './modules/${module}';\n`);
  }
  for (const patch of patches) {
    const path = join(version, 'dist', 'modules', patch.module);
    await writeFile(path, patched(await readFile(path, 'utf8'), patch));
  }
  return { version, remove: () => rm(version, { recursive: true }) };
}
