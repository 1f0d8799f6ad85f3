/**
 * `npm run test:cluster:image`: builds `src/deploy/Dockerfile` as it ships, and runs the image as a container runtime
 * does: as process 1, as a user who is not root, on a root that nobody can write to. It needs root and
 * `apt-get install buildah mmdebstrap`; the base image is Debian with the Node that runs this.
 * Options by environment: CLUSTER_KEEP (any value leaves images and logs where they are).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { freePort } from '../../src/postgres/free_port.ts';
import { childrenOf } from '../bench/processes.ts';
import { type Clients, Outcome, populate, secret, tell, write } from './crm.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const base = 'docker.io/library/node:24-bookworm-slim';
const maxPackageMb = 90;
const writers = 8;

/** What an image says of how it is run. */
interface Config {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
}

const place = await mkdtemp(join(tmpdir(), 'crm-image-'));
const storage = ['--root', join(place, 'images'), '--runroot', join(place, 'run')];

/** @returns what it prints, without the line's end */
function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
const buildah = (command: string, ...args: readonly string[]): string =>
  run('buildah', ...storage, '--storage-driver', 'vfs', command, ...args);

try {
  buildBase();
  const began = performance.now();
  const file = join(root, 'src/deploy/Dockerfile');
  const options = ['--pull-never', '--isolation', 'chroot', '--ignorefile', `${file}.dockerignore`];
  buildah('build', ...options, '--file', file, '--tag', 'crm', root);
  const seconds = (performance.now() - began) / 1000;
  console.log(`the image was built in ${seconds.toFixed(0)} s`);
  await use(buildah('mount', buildah('from', 'crm')));
} finally {
  if (process.env.CLUSTER_KEEP === undefined) rmSync(place, { recursive: true, force: true });
}

/** Debian and Node under the name of the image that the Dockerfile begins with. */
function buildBase(): void {
  const debian = join(place, 'debian.tar');
  run(
    'mmdebstrap',
    '--variant=minbase',
    '--include=ca-certificates,libstdc++6',
    'bookworm',
    debian,
  );
  const made = buildah('from', 'scratch');
  buildah('add', made, debian, '/');
  buildah('copy', made, process.execPath, '/usr/local/bin/node');
  const npm = join(run('npm', 'root', '--global'), 'npm');
  buildah('copy', made, npm, '/usr/local/lib/node_modules/npm');
  // What this machine needs to reach the registry of packages.
  const settings = run('npm', 'config', 'get', 'globalconfig');
  for (const [from, to] of [
    [settings, '/usr/local/etc/npmrc'],
    ['/etc/ssl/certs/ca-certificates.crt', '/etc/ssl/certs/ca-certificates.crt'],
  ] as const) {
    if (existsSync(from)) buildah('copy', made, from, to);
  }
  const setUp =
    'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --uid 1000 --create-home node';
  buildah('run', '--isolation', 'chroot', made, '--', 'sh', '-c', setUp);
  buildah('commit', '--rm', made, base);
}

async function use(files: string): Promise<void> {
  const megabytes = (path: string) =>
    Number(
      run('du', '--summarize', '--apparent-size', '--block-size=MB', path).replace(/MB.*/s, ''),
    );
  const packages = megabytes(join(files, 'crm/node_modules'));
  tell(
    `${packages} MB of node_modules, ${megabytes(join(files, 'crm'))} MB of ours in all`,
    packages <= maxPackageMb,
  );
  const postgres = await startEmbedded(join(place, 'postgres'));
  try {
    await serve(files, postgres.url);
  } finally {
    await postgres.stop();
  }
}

async function serve(files: string, url: string): Promise<void> {
  const config: Config = JSON.parse(buildah('inspect', '--type', 'image', 'crm')).OCIv1.config;
  const [port, adminPort] = [await freePort(), await freePort()];
  const env = {
    DATABASE_URL: url,
    JWT_SECRET: secret,
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    RATE_LIMIT: 'off',
  };
  const began = performance.now();
  const container = await contain(files, config, env);
  const isReady = () =>
    fetch(`http://127.0.0.1:${adminPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (container.exitCode !== null) throw new Error(readFileSync(join(place, 'log'), 'utf8'));
    await sleep(20);
  }
  console.log(`ready after ${(performance.now() - began).toFixed(0)} ms, migrations included`);
  const [pid = 0] = childrenOf(container.pid ?? 0);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, inside] = /^NSpid:.*\t(\d+)$/m.exec(status) ?? [];
  const [, user] = /^Uid:\t(\d+)/m.exec(status) ?? [];
  const [, flags = ''] =
    /^\S+ \/ \S+ (\S+)/m.exec(readFileSync(`/proc/${pid}/mounts`, 'utf8')) ?? [];
  tell(
    `process ${inside} of user ${user} on a root with ${flags}`,
    inside === '1' && user === '1000' && flags.split(',').includes('ro'),
  );
  await stopUnderWriters(container, pid, { ...(await populate(url)), ports: [port] }, url);
}

/** SIGTERM as a runtime sends it, while clients write. */
async function stopUnderWriters(
  container: ChildProcess,
  pid: number,
  clients: Clients,
  url: string,
): Promise<void> {
  const outcome = new Outcome();
  const stop = write(clients, outcome, writers);
  await sleep(2000);
  const exit = once(container, 'exit');
  const asked = performance.now();
  process.kill(pid, 'SIGTERM');
  const [code] = await exit;
  tell(
    `SIGTERM: ended with ${code} after ${(performance.now() - asked).toFixed(0)} ms`,
    code === 0,
  );
  await stop();
  await outcome.tellLost(url, /^(201|ECONNREFUSED)$/);
}

/** Starts the image's program as process 1 of a container. */
async function contain(
  files: string,
  { User, WorkingDir, Env, Entrypoint }: Config,
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const log = await open(join(place, 'log'), 'a');
  const variables = [...Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const setUp = [
    'set -e',
    'mount --bind "$1" "$1"',
    'mount --bind /dev "$1/dev"',
    'mount -t proc proc "$1/proc"',
    'mount -t tmpfs -o mode=700,uid=1000,gid=1000 tmpfs "$1/data"',
    'mount -o remount,bind,ro "$1"',
    'files=$1 user=$2; shift 2',
    'exec chroot --userspec="$user:$user" "$files" /usr/bin/env -i "$@"',
  ].join('\n');
  const container = spawn(
    'unshare',
    [
      ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', setUp, 'sh'],
      ...[files, User, `--chdir=${WorkingDir}`, ...variables, ...Entrypoint],
    ],
    { stdio: ['ignore', log.fd, log.fd] },
  );
  await log.close();
  return container;
}
