/** The suite on a Citus cluster, but for what reads plans and catalogues. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * How the paths of tests begin: folders, and of single parts those that must hold on any database. CLUSTER_TESTS
 * names others, separated by spaces.
 */
const tests = process.env['CLUSTER_TESTS']?.split(' ') ?? [
  'contract',
  'parity',
  'golden',
  'security',
  'property',
  'fault',
  'unit/change_',
];

/**
 * Files left out, and why: plans are what PostgreSQL would do or which rows it visits; catalogues list keys,
 * locks and who waits for them, of which each server has its own.
 */
const filesLeftOut: Readonly<Record<string, string>> = {
  'contract/search_plans': 'plans',
  'contract/places': 'plans',
  'contract/connections': 'catalogues',
  'contract/moments': 'catalogues',
  'contract/moved_meanwhile': 'catalogues',
  'security/catalogue': 'catalogues',
};

/** Single tests left out, by a pattern of how their names begin. */
const testsLeftOut: Readonly<Record<string, string>> = {
  'an upsert that waits for a contact while': 'catalogues',
  'one that fails is told once those have ended': 'catalogues',
  'a deal product whose price is being raised can be removed': 'catalogues',
  'positions a change that waits for a move finds': 'catalogues',
  'positions a deletion that waits for a move finds': 'catalogues',
  'the trail of a deleted contact names no deal that went': 'catalogues',
  'a deal that goes to another contact takes along': 'catalogues',
  'what comes to a deal as its': 'catalogues',
  'a deal is removed while its product': 'catalogues',
  'a contact is removed while its deal gets': 'catalogues',
  'the statement for alerts names who holds a lock': 'catalogues',
  // They hold a lock for longer than others may wait who write to a table that every server has.
  'DELETE /users/.id. a user of many deals is let go of': 'catalogues',
  'there is no link for a user who is deleted while it': 'catalogues',
  'whoever was to get the deals and is removed meanwhile': 'catalogues',
  'accounts are removed in parts, and what is written': 'catalogues',
  'a count of an estimate is never less': 'plans',
  'the database folds as the service does every character':
    'letters, of which PostgreSQL 15 knows fewer',
  'a change that the database drops is not said': 'triggers, which Citus does not take',
  'a statement that takes over a second is logged': 'triggers, which Citus does not take',
  // The upgrade of a distributed database shows that they are.
  'contacts that were there before they had keys get these in the background':
    'triggers, which cannot be switched off',
  'rows that are not folded, or by another table, are found as they are':
    'triggers, which cannot be switched off',
};

/**
 * Tries all cases, of which `npm test` tries a part.
 * @returns whether all that is asked was green
 */
export async function runSuite(coordinator: string, workers: readonly string[]): Promise<boolean> {
  const args = [
    ...['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
    ...tests.map((path) => `test/${path}`),
    `--testPathIgnorePatterns=${Object.keys(filesLeftOut)
      .map((file) => `test/${file}\\.`)
      .join('|')}`,
    // Everything takes several servers, which one machine is.
    '--testTimeout=180000',
    '--maxWorkers=2',
    `--testNamePattern=^(?!${Object.keys(testsLeftOut).join('|')})`,
  ];
  const child = spawn(process.execPath, args, {
    env: {
      ...process.env,
      TEST_SIZE: 'long',
      TEST_DATABASE_URL: coordinator,
      TEST_CITUS_WORKERS: workers.join(' '),
    },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}
