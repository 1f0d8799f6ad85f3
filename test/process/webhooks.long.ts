import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { killRounds } from '../attack/deliveries.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { killProcesses } from '../kit/process.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(60_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  killProcesses();
  await database.close();
});

test('a service that is killed while it delivers loses nothing that was acknowledged', async () => {
  const { acknowledged, lost, received, unsigned } = await killRounds(database, 2);
  expect({ lost, unsigned }).toEqual({ lost: 0, unsigned: 0 });
  expect(received).toBeGreaterThanOrEqual(acknowledged);
  expect(acknowledged).toBeGreaterThan(2);
});
