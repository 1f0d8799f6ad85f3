/**
 * `npm run bench:peers`: the service beside Directus and PostGraphile, in turns, each on its own database
 * of one PostgreSQL with the same contacts; prints the table of the guide on performance. Where they are not installed
 * yet, npm brings them first, which takes some minutes.
 * Options by environment: BENCH_ROUNDS (5), BENCH_SECONDS (3) a round, BENCH_CONTACTS (200000) of all
 * accounts, BENCH_DIR (where the filled database is kept for the next run), PEERS_DIR (where what npm
 * brings is kept).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Bench, onFilledDatabase } from './database.ts';
import { type Competitor, inTurns } from './measure.ts';
import { databaseFor } from './peers/database.ts';
import { directus } from './peers/directus.ts';
import type { Pair, Peer } from './peers/peer.ts';
import { postgraphile } from './peers/postgraphile.ts';
import { heading, row } from './peers/table.ts';
import { send, serviceProgram, startTarget, stopTarget } from './processes.ts';
import { seedOf } from './seed.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const connections = 32;

await onFilledDatabase(Number(process.env.BENCH_CONTACTS ?? 200_000), measurePeers);

async function measurePeers(bench: Bench): Promise<void> {
  const kept = process.env.PEERS_DIR;
  const folder = kept ? resolve(kept) : mkdtempSync(join(tmpdir(), 'crm-peers-'));
  try {
    const peers = [directus, postgraphile].map((peer) => ({ peer, home: install(peer, folder) }));
    const how = `${connections} connections, medians of ${rounds} rounds of ${seconds} s in turns`;
    console.log(heading(how).join('\n'));
    for (const { peer, home } of peers) await compare(bench, peer, home);
  } finally {
    if (!kept) rmSync(folder, { recursive: true, force: true });
  }
}

/** Outside of the project: they bring a gigabyte of packages. */
function install({ name, version, compiled }: Peer, within: string): string {
  const packageName = `${name.toLowerCase()}@${version}`;
  const folder = join(within, packageName);
  const installed = join(folder, 'node_modules', name.toLowerCase());
  if (existsSync(installed)) return folder;
  mkdirSync(folder, { recursive: true });
  console.error(`npm brings ${packageName}`);
  npm('install', '--prefix', folder, '--no-audit', '--no-fund', packageName);
  // This project forbids what packages run when they are installed, also to npm that it starts.
  if (compiled) npm('rebuild', '--prefix', folder, '--ignore-scripts=false', compiled);
  return folder;
}

function npm(...args: readonly string[]): void {
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`npm could not do: ${args.join(' ')}`);
}

/** Prints its lines of the table. */
async function compare(bench: Bench, peer: Peer, folder: string): Promise<void> {
  const url = await databaseFor(peer.name.toLowerCase(), bench);
  const service = await startTarget('service', serviceProgram, bench.env);
  const targets = [service];
  try {
    const theirs = await peer.start({ folder, url, bench });
    targets.push(theirs);
    for (const { name, ...pair } of peer.pairsOn(seedOf(bench.contacts))) {
      const sides = [
        { bench, target: service, asked: { name, ...pair.ours } },
        {
          bench: { ...bench, token: peer.token ?? bench.token },
          target: theirs,
          asked: { name, ...pair.theirs },
        },
      ] as const;
      await assertSame(sides, bench.generator.next());
      const [ours, others] = await inTurns(sides, rounds, { seconds, connections });
      if (ours && others) console.log(row(peer, name, [ours, others]));
    }
  } finally {
    await Promise.all(targets.map(stopTarget));
  }
}

interface Asking extends Competitor {
  readonly asked: Pair['ours'] & Competitor['asked'];
}

/**
 * Only equal answers are compared. Both sides write to databases of their own, so they may get the
 * same number.
 */
async function assertSame(sides: readonly Asking[], n: number): Promise<void> {
  const [ours, theirs] = await Promise.all(
    sides.map(async ({ bench, target, asked }) => {
      const request = asked.request(n);
      const { status, text } = await send(target.port, request, bench.token, target.scheme);
      if (status !== asked.status)
        throw new Error(`${target.name}, ${asked.name}: ${status} ${text}`);
      return asked.told(text);
    }),
  );
  if (isDeepStrictEqual(ours, theirs)) return;
  throw new Error(`answers differ: ${JSON.stringify(ours)} and ${JSON.stringify(theirs)}`);
}
