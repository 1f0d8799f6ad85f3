/** Requests of an attack, and what a client notices that only wants to work. */
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../kit/process.ts';

/** What somebody noticed of the service: milliseconds, and how often each status came. */
export interface Noticed {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly statuses: Readonly<Record<string, number>>;
}

/** @param times milliseconds, which are put in order */
export function noticed(times: number[], statuses: Noticed['statuses']): Noticed {
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1), statuses };
}

export interface Sent {
  readonly path: string;
  readonly token?: string;
  readonly method?: string;
  /** Beside those of a token and a body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** As JSON; a text, or its bytes, is sent as it is. */
  readonly body?: object | string | Buffer;
}

/** Connections of those whose times are not measured. */
const crowd = new Agent({ keepAlive: true, rejectUnauthorized: false });

/**
 * Sends a request and lets its answer go by, for to look at it would take this process's time.
 * @returns the status, or what became of the connection, and the answer's end
 */
export function send(
  { port }: Pick<ServiceProcess, 'port'>,
  { path, token, method = 'GET', headers: others, body }: Sent,
  agent: Agent = crowd,
): Promise<{ readonly status: string; readonly end: string }> {
  return new Promise((resolve) => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      ...others,
    };
    request({ port, agent, path, method, headers }, (answer) => {
      let last: Buffer = Buffer.alloc(0);
      answer.on('data', (chunk: Buffer) => (last = chunk));
      answer.on('end', () =>
        resolve({ status: String(answer.statusCode), end: last.subarray(-2000).toString() }),
      );
      answer.on('error', ({ message }) => resolve({ status: message, end: '' }));
    })
      .on('error', ({ message }) => resolve({ status: message, end: '' }))
      .end(typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body);
  });
}

/** A request that is sent again and again. */
export interface Fetched extends Sent {
  readonly port: number;
}

/** Sends a request some hundred times a second, one after the other, until `end` resolves. */
export async function fetchAgain(fetched: Fetched, end: Promise<unknown>): Promise<Noticed> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  let over = false;
  void end.finally(() => (over = true));
  while (!over) {
    const began = performance.now();
    const { status } = await send(fetched, fetched, agent);
    times.push(performance.now() - began);
    statuses[status] = (statuses[status] ?? 0) + 1;
    await sleep(5);
  }
  agent.destroy();
  return noticed(times, statuses);
}
