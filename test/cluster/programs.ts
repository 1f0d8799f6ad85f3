/** Programs of a cluster, run as the user that may run PostgreSQL, each with a log of its own. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRunner, type Runner } from '../../src/postgres/user.ts';

export interface Program {
  /** Ends it and everything that it started and that stayed in its process group. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** A directory and the programs that run in it; both are gone after `close`. */
export class Place {
  readonly directory: string;
  readonly #runner: Runner;
  readonly #running = new Set<Program>();

  private constructor(directory: string, runner: Runner) {
    this.directory = directory;
    this.#runner = runner;
  }

  /** @param program one that the user must be able to reach */
  static async open(program: string): Promise<Place> {
    const directory = await mkdtemp(join(tmpdir(), 'crm-cluster-'));
    await chmod(directory, 0o755);
    const runner = await findRunner(join(directory, 'data'), program);
    await runner.own(directory);
    return new Place(directory, runner);
  }

  at(...parts: readonly string[]): string {
    return join(this.directory, ...parts);
  }

  /** Starts a program and waits until one of its ports answers. */
  async start(
    name: string,
    program: string,
    args: readonly string[],
    port: number,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Program> {
    const log = await open(this.at(`${name}.log`), 'a');
    const child = this.#runner.spawn(program, args, {
      cwd: this.directory,
      env: { ...process.env, ...env },
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    await log.close();
    const started: Program = {
      kill: async (signal = 'SIGKILL') => {
        this.#running.delete(started);
        await end(child, signal);
      },
    };
    this.#running.add(started);
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`${name} ended: see ${this.at(`${name}.log`)}`);
      await sleep(50);
    }
    return started;
  }

  async close(): Promise<void> {
    for (const program of [...this.#running].reverse()) await program.kill('SIGTERM');
    if (process.env.CLUSTER_KEEP === undefined) {
      await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, signal);
  await ended;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const tell = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => tell(true));
    socket.on('error', () => tell(false));
  });
}
