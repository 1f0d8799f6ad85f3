/** A service in a process of its own, an account that attacks it and one that only wants to work. */
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { Client } from '../kit/http.ts';
import { killProcesses, type ServiceProcess, startProcess } from '../kit/process.ts';
import { type World, world } from '../kit/world.ts';

export interface Scene {
  readonly service: ServiceProcess;
  readonly database: TestDatabase;
  readonly attacker: World;
  readonly neighbour: World;
  close(): Promise<void>;
}

export async function openScene(env: NodeJS.ProcessEnv = {}): Promise<Scene> {
  const database = await createDatabase();
  const service = await startProcess({ database }, { RATE_LIMIT: 'off', ...env });
  const client = new Client(service.url);
  const of = { url: service.url, client, database, statements: [], logged: [] };
  const stay = { ...of, close: async () => undefined };
  return {
    service,
    database,
    attacker: await world(stay),
    neighbour: await world(stay),
    close: async () => {
      client.close();
      process.kill(service.pid, 'SIGTERM');
      await service.exit;
      killProcesses();
      await database.close();
    },
  };
}

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
  /** As JSON; a text is sent as it is. */
  readonly body?: object | string;
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
      .end(typeof body === 'object' ? JSON.stringify(body) : body);
  });
}

/** The neighbour fetches one contact after the other, some hundred a second, until `end` resolves. */
export async function notice(scene: Scene, end: Promise<unknown>): Promise<Noticed> {
  const { neighbour, service } = scene;
  const { id } = await neighbour.contact({ full_name: 'Nina Neighbour' });
  const path = `/api/v1/accounts/${neighbour.accountId}/contacts/${id}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  let over = false;
  void end.finally(() => (over = true));
  while (!over) {
    const began = performance.now();
    const { status } = await send(service, { path, token: neighbour.admin.token }, agent);
    times.push(performance.now() - began);
    statuses[status] = (statuses[status] ?? 0) + 1;
    await sleep(5);
  }
  agent.destroy();
  return noticed(times, statuses);
}

/** What the neighbour notices while nobody else is there, once the process is warm. */
export async function noticeQuiet(scene: Scene): Promise<Noticed> {
  await notice(scene, sleep(4000));
  return notice(scene, sleep(4000));
}

/** Megabytes of memory that the process has. */
export const residentOf = ({ pid }: ServiceProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;

export const descriptorsOf = ({ pid }: ServiceProcess): number =>
  readdirSync(`/proc/${pid}/fd`).length;

/** The most megabytes that the process has until `end` resolves. */
export async function mostResident(
  service: ServiceProcess,
  end: Promise<unknown>,
): Promise<number> {
  let over = false;
  void end.finally(() => (over = true));
  let most = 0;
  while (!over) {
    most = Math.max(most, residentOf(service));
    await sleep(50);
  }
  return most;
}

/** A connection that reads nothing of what it asked for. */
export async function silent({ port }: ServiceProcess, sent: string): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('secureConnect', resolve).once('close', resolve));
  socket.pause();
  socket.write(sent);
  return socket;
}

/** A request as it is written to a connection. */
export const written = (
  method: string,
  path: string,
  { token, body = '' }: { token?: string; body?: string } = {},
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    ...(body ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : []),
    '',
    body,
  ].join('\r\n');

/** Repeats `work` in parallel strands until `end` resolves; `work` deals with its own failures. */
export async function again(
  strands: number,
  end: Promise<unknown>,
  work: (strand: number) => Promise<unknown>,
): Promise<void> {
  let over = false;
  void end.finally(() => (over = true));
  const strand = async (n: number) => {
    while (!over) await work(n).catch(() => sleep(50));
  };
  await Promise.all(Array.from({ length: strands }, (_, n) => strand(n)));
}

/** Prints what was measured, which a passing test would keep to itself. */
export function tell(name: string, figures: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${name}: ${JSON.stringify(figures, round)}\n`);
}

const round = (_: string, value: unknown) =>
  typeof value === 'number' ? Math.round(value * 10) / 10 : value;
