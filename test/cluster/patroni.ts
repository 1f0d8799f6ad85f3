/**
 * `npm run test:cluster:patroni`: three nodes of Patroni with the settings of `src/deploy/patroni.yaml`,
 * one etcd, two processes of the service with all nodes in their URLs. The primary is killed under
 * writers; then reads from standbys are held against what was
 * written just before, while it is killed once more.
 * Options by environment: CLUSTER_KILLS (5), CLUSTER_READS (10000), CLUSTER_KEEP (any value leaves the
 * logs where they are).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/postgres/free_port.ts';
import { stopTarget } from '../bench/processes.ts';
import { blocksOf, environmentOf } from '../kit/guides.ts';
import { type Clients, migrate, Outcome, populate, startService, tell, write } from './crm.ts';
import { Nodes } from './nodes.ts';
import { Place } from './programs.ts';
import { readAfterWrite } from './reads.ts';

const kills = Number(process.env.CLUSTER_KILLS ?? 5);
const reads = Number(process.env.CLUSTER_READS ?? 10_000);

const place = await Place.open('/usr/bin/patroni');
try {
  await measure();
} finally {
  await place.close();
}

async function measure(): Promise<void> {
  const port = await freePort();
  const etcd = `http://127.0.0.1:${port}`;
  const peers = `http://127.0.0.1:${await freePort()}`;
  await place.start(
    'etcd',
    'etcd',
    [
      `--data-dir=${place.at('etcd')}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=default=${peers}`,
    ],
    port,
  );
  const nodes = await Nodes.start(place, `127.0.0.1:${port}`, 3);
  const [block = ''] = blocksOf('src/docs/how-to/failover.md', 'sh');
  const env = {
    ...environmentOf(block, {
      'crm@': 'crm:crm@',
      '10.0.0.1:5432,10.0.0.2:5432,10.0.0.3:5432': nodes.hosts,
    }),
    DATABASE_READ_URL: nodes.url('read-only'),
  };
  await migrate(env);
  const account = await populate(nodes.url('read-write'));
  const services = [
    await startService(place.at('crm1'), env),
    await startService(place.at('crm2'), env),
  ];
  try {
    const clients = { ...account, ports: services.map((service) => service.port) };
    await kill(nodes, clients);
    const checking = readAfterWrite(clients, reads);
    if (kills > 0) await nodes.killPrimary();
    const checked = await checking;
    await nodes.heal();
    const max = checked.reads - checked.fromStandby;
    tell(`${checked.stale} of ${checked.reads} reads stale`, checked.stale === 0);
    tell(`the primary answered ${max} of them, a standby the others`, max < checked.reads / 2);
  } finally {
    await Promise.all(services.map(stopTarget));
  }
}

async function kill(nodes: Nodes, clients: Clients): Promise<void> {
  const outcome = new Outcome();
  const stop = write(clients, outcome, 16);
  let slowest = 0;
  for (let round = 1; round <= kills; round += 1) {
    await sleep(2000);
    const killed = performance.now();
    await nodes.killPrimary();
    const promoted = await nodes.promoted();
    await sleep(2000);
    const next = outcome.stored.find(({ at }) => at > promoted)?.at ?? Number.POSITIVE_INFINITY;
    slowest = Math.max(slowest, next - promoted);
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    console.log(
      `kill ${round}: promoted after ${seconds(promoted - killed)} s, written ${(next - promoted).toFixed(0)} ms later`,
    );
    await nodes.heal();
  }
  await stop();
  tell(`writes at most ${slowest.toFixed(0)} ms after the promotion`, slowest <= 1000);
  await outcome.tellLost(nodes.url('read-write'));
}
