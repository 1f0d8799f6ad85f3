/** The app that the test files of a worker share: it starts for the first that wants it, and ends with the worker. */
import process from 'node:process';
import { type AppUnderTest, type Recording, startTested } from './app_under_test.ts';
import type { Modules } from './sandbox.ts';
import { createDatabase } from './test_database.ts';

let starting: Promise<AppUnderTest> | undefined;

async function start(modules: Modules, recording: Recording) {
  const database = await createDatabase();
  const app = await startTested(modules, database.url, recording);
  return {
    ...app,
    close: async () => {
      await app.close();
      await database.close();
    },
  };
}

/** The app, which is recorded there until the next who borrows it. */
export async function borrow(modules: Modules, recording: Recording): Promise<AppUnderTest> {
  starting ??= start(modules, recording);
  const app = await starting;
  app.record(recording);
  return app;
}

/** What kept the process alive ends. */
export async function closeWorkerApp(): Promise<void> {
  await (await starting)?.close();
}

// This is how Jest ends a worker: it stops listening, and everything else must end by itself, in a few seconds at most.
process.on('removeListener', (event) => {
  if (event === 'message') void closeWorkerApp();
});
