/**
 * `npm run bench:profile -- contact create`: where the time of a request goes, in the service and in
 * the reference, by the names that `npm run bench` gives its operations.
 * Options by environment: BENCH_ROUNDS (3), BENCH_SECONDS (3) a round, BENCH_CONTACTS (200000) of all
 * accounts, BENCH_DIR (where the filled database is kept for the next run, and the profiles, for
 * Chrome's developer tools).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { separateCores } from './cores.ts';
import { type Bench, benchFor, onFilledDatabase } from './database.ts';
import { operationNamed } from './operations.ts';
import { referenceProgram, serviceProgram, stopTarget } from './processes.ts';
import { profileLines } from './profile_report.ts';
import { ProfiledTarget } from './profiled_target.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const wanted = process.argv.slice(2).join(' ');

const cores = separateCores();
if (!cores) console.log('There are no cores to separate, so waiting for one counts as work.');
await onFilledDatabase(Number(process.env.BENCH_CONTACTS ?? 200_000), profileBoth, cores);

async function profileBoth(of: Bench): Promise<void> {
  const operation = operationNamed(wanted, of.contacts);
  const bench = await benchFor(of, operation);
  const load = { seconds, connections: operation.connections ?? 32 };
  const kept = process.env.BENCH_DIR;
  const folder = kept ? resolve(kept) : mkdtempSync(join(tmpdir(), 'crm profile '));
  const sides = [
    await ProfiledTarget.start(bench, 'service', serviceProgram, folder),
    await ProfiledTarget.start(bench, 'reference', referenceProgram, folder),
  ];
  try {
    for (let round = -1; round < rounds; round++) {
      for (const side of sides) await side.go(bench, operation, load, round >= 0);
    }
    console.log(`${operation.name}: ${rounds} rounds of ${seconds} s in turns\n`);
    console.log(profileLines(sides.map((side) => side.found())).join('\n'));
  } finally {
    await Promise.all(sides.map(({ target }) => stopTarget(target)));
    if (!kept) rmSync(folder, { recursive: true });
  }
}
