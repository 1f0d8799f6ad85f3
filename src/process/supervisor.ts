/**
 * The process that is started and stopped from outside. It serves nothing itself: it starts the workers, each of
 * which is the whole service on the same port, and replaces those that die or freeze. There is a supervisor even
 * for a single worker: a process whose event loop is blocked cannot help itself, a thread could end it but not
 * start another, and in a shell, under `npm start` or as process 1 of a container nobody else would. It loads
 * little, and takes some 60 MB.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { answer, Counters, isQuotaRequest } from '../http/limits/allowance.ts';
import { programDirectory } from '../lib/directories.ts';
import type { Log } from '../telemetry/log.ts';
import { Handover } from './handover.ts';
import { aliveMessage, stopMessage } from './messages.ts';
import { measuresOf, obstacleOf, send, topOf } from './questions.ts';
import { lookMs, Watchdog } from './watchdog.ts';

/** How long a worker's event loop may not turn, in milliseconds. */
export const patienceMs = 5000;

/**
 * For a worker's environment: the C library gives large blocks back to the system when they are freed. Left alone it
 * learns from those of the start to keep them. In bytes, as glibc has it at the beginning; what an operator
 * sets counts instead.
 */
const allocation = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;

/** The pause before restarting a worker that did not even start. */
const restartPauseMs = 1000;
/**
 * After this and the configured delay a worker that has not exited is killed: the service must stop
 * within ten seconds.
 */
const graceMs = 9000;

/**
 * Starts the workers, replaces those that die or freeze, and stops all of them with the process.
 * @param ending resolves with the exit code when it is time to stop
 * @param patience milliseconds without a sign of life after which a worker that has started is killed
 * @returns the process's exit code; 1 when not even the first worker starts
 * @throws when the port for operators cannot be opened
 */
export async function superviseWorkers(
  config: Config,
  log: Log,
  ending: Promise<number>,
  patience: number,
): Promise<number> {
  // A single worker accepts connections itself: there is nobody to share them out to, and those that come while
  // it is frozen wait for its replacement. Node looks at this once, as it sets up.
  if (config.workers === 1) cluster.schedulingPolicy = cluster.SCHED_NONE;
  // Whatever program started this process, a worker is the service alone.
  cluster.setupPrimary({ exec: fileURLToPath(new URL('worker.js', programDirectory)) });
  const supervisor = new Supervisor(config, log, patience);
  // After a second signal there is no time for them, and one that is frozen would stay for ever.
  process.once('exit', () => supervisor.kill());
  // Loaded meanwhile, the port for operators opens as soon as the first worker listens.
  const [isStarted, openAdmin] = await Promise.all([
    supervisor.start(),
    loadAdmin(config, supervisor),
  ]);
  if (!isStarted) return 1;
  let admin: FastifyInstance | undefined;
  try {
    admin = await openAdmin?.();
    return await ending;
  } finally {
    await supervisor.stop();
    await admin?.close();
  }
}

/** @returns what opens the port for operators, where it is wanted */
async function loadAdmin(config: Config, supervisor: Supervisor) {
  if (config.adminPort === undefined) return undefined;
  const [{ adminOf }, { workersMetrics }] = await Promise.all([
    import('../http/admin.ts'),
    import('../telemetry/metrics.ts'),
  ]);
  return () =>
    adminOf(config, {
      obstacle: () => supervisor.obstacle(),
      metrics: workersMetrics(supervisor.replacements, () => measuresOf(supervisor.listening)),
      top: () => topOf(supervisor.listening),
    });
}

/** Of a worker that has been silent for half of the patience, the one that may have to replace it. */
interface Spare {
  readonly worker: Worker;
  readonly silent: Worker;
}

class Supervisor {
  /** Workers that have started. */
  readonly listening = new Set<Worker>();
  /** How many were replaced so far, by why. */
  readonly replacements = { died: 0, frozen: 0 };
  readonly #config: Config;
  readonly #log: Log;
  readonly #patience: number;
  readonly #allowances: Counters;
  readonly #watchdog = new Watchdog<Worker>();
  readonly #handover = new Handover();
  readonly #frozen = new WeakSet<Worker>();
  /** Those that were spare and are not needed. */
  readonly #dismissed = new WeakSet<Worker>();
  #spare: Spare | undefined;
  #started = false;
  #stopping = false;

  constructor(config: Config, log: Log, patience: number) {
    this.#config = config;
    this.#log = log;
    this.#patience = patience;
    this.#allowances = new Counters(config.rateLimit ?? Number.POSITIVE_INFINITY);
  }

  /** @returns whether the first worker has started; the others start by themselves */
  async start(): Promise<boolean> {
    // The first sets up what all of them share: the embedded database, migrations, the demo account.
    const first = this.#fork();
    this.#started = await Promise.race([
      once(first, 'listening').then(() => true),
      once(first, 'exit').then(() => false),
    ]);
    if (!this.#started) return false;
    for (let more = 1; more < this.#config.workers; more += 1) this.#fork();
    setInterval(() => this.#look(), lookMs).unref();
    return true;
  }

  /** Why none of the workers should get requests; null when they should. */
  async obstacle(): Promise<string | null> {
    if (this.#stopping) return 'shutting down';
    if (this.listening.size === 0) return 'no worker listens';
    // The first answer will do: all share the database, and one that is frozen gives none.
    return Promise.race([...this.listening].map(obstacleOf));
  }

  /** Lets the workers finish, and kills those that do not. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(
      living().map(async (worker) => {
        const ended = once(worker, 'exit');
        const patience = this.#config.shutdownDelayMs + graceMs;
        const kill = setTimeout(() => worker.process.kill('SIGKILL'), patience);
        send(worker, stopMessage);
        await ended;
        clearTimeout(kill);
      }),
    );
  }

  /** Ends all workers at once. */
  kill(): void {
    for (const worker of living()) worker.process.kill('SIGKILL');
  }

  #fork(): Worker {
    const worker = cluster.fork({ ...allocation, ...process.env });
    this.#handover.watch(worker.process);
    worker.on('message', (message) => {
      if (message === aliveMessage) this.#hear(worker);
      if (!isQuotaRequest(message)) return;
      const answered = answer(this.#allowances, this.#config.workers, message);
      if (answered) send(worker, answered);
    });
    worker.on('listening', () => {
      this.listening.add(worker);
      // A message sent before the worker listens for it is lost.
      if (this.#stopping || this.#dismissed.has(worker)) send(worker, stopMessage);
    });
    worker.on('exit', (code, signal) => this.#bury(worker, { code, signal }));
    return worker;
  }

  #hear(worker: Worker): void {
    this.#watchdog.feed(worker);
    if (this.#spare?.silent !== worker) return;
    const { worker: spare } = this.#spare;
    this.#spare = undefined;
    this.#dismissed.add(spare);
    this.#log.info({ worker: worker.process.pid }, 'a worker answers again');
    if (this.listening.has(spare)) send(spare, stopMessage);
  }

  /** Replaces a worker that has ended, unless it was one too many. */
  async #bury(worker: Worker, end: { code: number | null; signal: string | null }): Promise<void> {
    this.#watchdog.release(worker);
    const worked = this.listening.delete(worker);
    if (this.#stopping || !this.#started || this.#dismissed.has(worker)) return;
    const reason = this.#frozen.has(worker) ? 'frozen' : 'died';
    this.replacements[reason] += 1;
    this.#log.error(
      { worker: worker.process.pid, reason, ...end },
      'a worker ended and is replaced',
    );
    if (!worked) await sleep(restartPauseMs);
    if (this.#spare?.silent === worker) this.#spare = undefined;
    else if (this.#spare?.worker === worker) this.#spare = undefined;
    else if (!this.#stopping) this.#fork();
  }

  /**
   * Kills who has been silent for too long. Its replacement is started at half of that time, so that it mostly
   * listens by then: clients that lose their connections come back at once, and the port stays open.
   */
  #look(): void {
    for (const { who: worker, silentMs } of this.#watchdog.silences()) {
      const details = { worker: worker.process.pid, silentMs };
      if (silentMs > this.#patience) {
        this.#log.error(details, 'a worker does not answer and is killed');
        this.#frozen.add(worker);
        this.#watchdog.release(worker);
        worker.process.kill('SIGKILL');
      } else if (silentMs > this.#patience / 2 && !this.#spare && !this.#stopping) {
        this.#log.warn(details, 'a worker does not answer: its replacement is started');
        this.#spare = { worker: this.#fork(), silent: worker };
      }
    }
  }
}

const living = (): Worker[] =>
  Object.values(cluster.workers ?? {})
    .filter((worker) => worker !== undefined)
    .filter((worker) => !worker.isDead());
