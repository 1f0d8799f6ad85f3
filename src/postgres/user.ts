import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { chown, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Starts PostgreSQL's programs as another user: they refuse to run as root. */
export interface Runner {
  spawn(program: string, args: readonly string[], options: SpawnOptions): ChildProcess;
  /** Gives a file or directory to that user. */
  own(path: string): Promise<void>;
}

/**
 * @param cluster directory of the data; if it exists, its owner is used
 * @param program another path that the user must be able to reach
 * @throws as root, when there is no such user or it cannot reach these paths
 */
export async function findRunner(cluster: string, program: string): Promise<Runner> {
  if (process.getuid?.() !== 0) return { spawn, own: async () => undefined };
  const user = (await findOwner(cluster)) ?? (await findUser());
  const own = (path: string) => chown(path, user.uid, user.gid);
  const closed = await firstClosed([cluster, program]);
  if (closed === undefined) {
    return {
      own,
      spawn: (program, args, options) =>
        spawn(program, args, { ...options, uid: user.uid, gid: user.gid }),
    };
  }
  // Another user cannot enter a directory reserved for root (a checkout under /root, say) unless it
  // keeps the one capability of root's that allows it.
  const keep = [
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    // Without this, access(2), which initdb calls, ignores the capability.
    '--securebits=+no_setuid_fixup',
  ];
  await run('setpriv', [...keep, 'true']).catch((error: unknown) => {
    throw new Error(
      `PostgreSQL does not run as root, and user ${user.name} may not enter ${closed}: ` +
        'use a directory that others may enter, start as another user, or set DATABASE_URL',
      { cause: error },
    );
  });
  return {
    own,
    spawn: (program, args, options) => spawn('setpriv', [...keep, program, ...args], options),
  };
}

interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

async function findOwner(cluster: string): Promise<User | undefined> {
  const owner = await stat(cluster).catch(() => undefined);
  return owner && owner.uid !== 0
    ? { name: String(owner.uid), uid: owner.uid, gid: owner.gid }
    : undefined;
}

async function findUser(): Promise<User> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // No such user: try the next.
    }
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user postgres or nobody to run it as: ' +
      'create one, start as another user, or set DATABASE_URL',
  );
}

/** The first directory on the way to `paths` that is not open to everybody. */
async function firstClosed(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    for (let directory = dirname(path); ; directory = dirname(directory)) {
      const { mode } = await stat(directory);
      if ((mode & 0o001) === 0) return directory;
      if (directory === dirname(directory)) break;
    }
  }
  return undefined;
}
