/** A program that profiles itself when it is told to. */
import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from './database.ts';
import { measure, type Round } from './measure.ts';
import type { Operation } from './operations/operation.ts';
import { median } from './percentiles.ts';
import {
  answeringOf,
  callsOf,
  cpuOf,
  cpuOfMainThread,
  startTarget,
  type Target,
} from './processes.ts';
import { spentIn, type TimeSpent } from './profile_places.ts';
import type { Profiled } from './profile_report.ts';

type Measured = Omit<Profiled, 'name' | 'spent'>;

const usedBy = (pid: number) => ({
  cpu: cpuOf(pid),
  main: cpuOfMainThread(pid),
  ...callsOf(pid),
});

/** Called when the program says so. */
interface Heard {
  profiled: () => void;
}

export class ProfiledTarget {
  readonly target: Target;
  readonly #file: string;
  readonly #heard: Heard;
  readonly #measured: Measured[] = [];
  readonly #spent: TimeSpent[] = [];

  private constructor(target: Target, file: string, heard: Heard) {
    this.target = target;
    this.#file = file;
    this.#heard = heard;
  }

  static async start(
    { env, cores }: Bench,
    name: string,
    program: readonly string[],
    folder: string,
  ): Promise<ProfiledTarget> {
    const file = join(folder, `${name}.cpuprofile`);
    const preload = fileURLToPath(new URL('profiled.mjs', import.meta.url));
    const heard: Heard = { profiled: () => undefined };
    const target = await startTarget(
      name,
      ['--import', preload, ...program],
      { ...env, PROFILED_TO: file },
      {
        heard: (text) => text.includes('"profiled"') && heard.profiled(),
        cores: cores?.target,
      },
    );
    return new ProfiledTarget(target, file, heard);
  }

  /** Once without the profiler for what it costs, and once with it for where that goes. */
  async go(bench: Bench, operation: Operation, round: Round, counts: boolean): Promise<void> {
    const pid = answeringOf(this.target);
    const before = usedBy(pid);
    const { rate, node: cpu } = await measure(bench, this.target, operation, round);
    const after = usedBy(pid);
    const answers = (1000 * (after.cpu - before.cpu)) / cpu;
    const each = (what: keyof typeof before) => (after[what] - before[what]) / answers;
    await this.#toggle(pid);
    await measure(bench, this.target, operation, round);
    await this.#toggle(pid);
    if (!counts) return;
    this.#measured.push({
      rate,
      cpu,
      main: 1000 * each('main'),
      reads: each('reads'),
      writes: each('writes'),
      written: each('written'),
    });
    const profile: Profiler.Profile = JSON.parse(readFileSync(this.#file, 'utf8'));
    this.#spent.push(...spentIn(profile));
  }

  found(): Profiled {
    const of = (field: keyof Measured) => median(this.#measured.map((one) => one[field]));
    return {
      name: this.target.name,
      rate: of('rate'),
      cpu: of('cpu'),
      main: of('main'),
      reads: of('reads'),
      writes: of('writes'),
      written: of('written'),
      spent: this.#spent,
    };
  }

  #toggle(pid: number): Promise<void> {
    return new Promise((done) => {
      this.#heard.profiled = done;
      process.kill(pid, 'SIGUSR2');
    });
  }
}
