import { rm } from 'node:fs/promises';
import { running } from './running.ts';
import { closeWorkerApp } from './worker_app.ts';

/** After the last test: PostgreSQL stops and everything that it kept goes. */
export default async function teardown(): Promise<void> {
  // Where the tests ran in this process.
  await closeWorkerApp();
  await running.database?.stop();
  if (running.directory) await rm(running.directory, { recursive: true, force: true });
}
