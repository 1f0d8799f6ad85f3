/** The suite on a Citus cluster, but for what reads plans and catalogues or writes past the service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const folders = ['contract', 'parity', 'golden', 'security', 'property', 'fault'];

/**
 * Files left out, and why: none because of an answer of the service.
 *
 * - plans: what PostgreSQL plans, or which rows it visits;
 * - catalogue: locks, sequences, keys or settings of one server, of which there are several;
 * - past the service: statements of the test itself that Citus refuses;
 * - clients: no database is asked.
 */
export const filesLeftOut: Readonly<Record<string, string>> = {
  'contract/search_plans': 'plans',
  'contract/places': 'plans',
  'contract/moments': 'catalogue',
  'contract/numbers_and_times': 'catalogue',
  'contract/documented_examples': 'catalogue',
  'contract/funnel': 'past the service',
  'contract/typed_clients': 'clients',
  'security/catalogue': 'catalogue',
  'security/secrets': 'catalogue',
  'golden/operations': 'catalogue',
};

/** Single tests left out, by how their names begin. */
export const testsLeftOut: Readonly<Record<string, string>> = {
  'a deal product whose price is being raised can be removed': 'catalogue',
  'positions a change that waits for a move finds': 'catalogue',
  'positions a deletion that waits for a move finds': 'catalogue',
  'the trail of a deleted contact names no deal that went': 'catalogue',
};

/** @returns whether all that is asked was green */
export async function runSuite(coordinator: string, workers: readonly string[]): Promise<boolean> {
  const args = [
    ...['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
    ...folders.map((folder) => `test/${folder}/`),
    `--testPathIgnorePatterns=${Object.keys(filesLeftOut)
      .map((file) => `test/${file}\\.`)
      .join('|')}`,
    `--testNamePattern=^(?!${Object.keys(testsLeftOut).join('|')})`,
  ];
  const child = spawn(process.execPath, args, {
    env: {
      ...process.env,
      TEST_DATABASE_URL: coordinator,
      TEST_CITUS_WORKERS: workers.join(' '),
    },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}
