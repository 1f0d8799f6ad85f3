/** Loads a service from a process of its own, so that measuring is not disturbed by asking. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Load, News, Report } from './load.ts';

/** Messages on the way. */
export interface Progress {
  readonly started?: () => void;
  /** The last request is sent, though not every answer is there. */
  readonly stopped?: () => void;
  readonly report?: (report: Report) => void;
}

export class Generator {
  readonly #child: ChildProcess;
  /** Greater than in every run before, whose records may still be there. */
  #next = Math.floor((Date.now() - Date.UTC(2026, 0)) / 1000) * 10_000;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./generator_process.ts', import.meta.url)), {
      execArgv: ['--import', 'tsx'],
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The number of a request that is like no other. */
  next(): number {
    return this.#next++;
  }

  /** @returns the report on all of it */
  run(load: Omit<Load, 'first'>, progress: Progress = {}): Promise<Report> {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error('the load generator ended'));
      const hear = (news: News) => {
        if (news.kind === 'started') progress.started?.();
        if (news.kind === 'stopped') progress.stopped?.();
        if (news.kind === 'report') progress.report?.(news.report);
        if (news.kind !== 'done') return;
        this.#next += news.asked;
        this.#child.off('message', hear).off('exit', ended);
        resolve(news.report);
      };
      this.#child.on('message', hear).once('exit', ended);
      const order: Load = { ...load, first: this.#next };
      this.#child.send(order);
    });
  }

  stop(): void {
    this.#child.kill();
  }
}
