import { rm } from 'node:fs/promises';
import { running } from './running.ts';

/** After the last test: PostgreSQL stops and everything that it kept goes. */
export default async function teardown(): Promise<void> {
  await running.database?.stop();
  if (running.directory) await rm(running.directory, { recursive: true, force: true });
}
