/** What passes time for deliveries. Tests give them a clock of their own. */

export interface Timer {
  cancel(): void;
}

export interface Timing {
  /** Milliseconds since whenever; never less than before. */
  now(): number;
  /** Does something once, in so many milliseconds or later. */
  after(ms: number, work: () => void): Timer;
  /** Does something behind all that is about to happen anyway. */
  soon(work: () => void): void;
}

/** The time of this machine. */
export const machineTime: Timing = {
  now: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return { cancel: () => clearTimeout(timer) };
  },
  soon: (work) => void setImmediate(work),
};

/** Resolves after so many milliseconds, or as soon as `signal` is aborted. */
export const pause = (timing: Timing, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      timer.cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = timing.after(ms, end);
    signal.addEventListener('abort', end);
  });
