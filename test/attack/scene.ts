/** A service in a process of its own, an account that attacks it and one that only wants to work. */
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { Client } from '../kit/http.ts';
import { residentOf as memoryOf } from '../kit/proc.ts';
import { killProcesses, type ServiceProcess, startProcess, workerOf } from '../kit/process.ts';
import { type World, world } from '../kit/world.ts';
import { Onlooker } from './onlooker.ts';
import type { Noticed } from './requests.ts';

export interface Scene {
  readonly service: ServiceProcess;
  readonly database: TestDatabase;
  readonly attacker: World;
  readonly neighbour: World;
  /** Makes another account. */
  readonly account: () => Promise<World>;
  /** Who asks for the neighbour while something is noticed. */
  readonly onlooker: Onlooker;
  close(): Promise<void>;
}

export async function openScene(env: NodeJS.ProcessEnv = {}): Promise<Scene> {
  const database = await createDatabase();
  const service = await startProcess({ database }, { RATE_LIMIT: 'off', ...env });
  const client = new Client(service.url);
  const of = { url: service.url, client, database, statements: [], logged: [] };
  const onlooker = new Onlooker();
  const stay = { ...of, close: async () => undefined };
  // Who attacks has a machine of its own elsewhere: here it gets what time the others leave.
  setPriority(constants.priority.PRIORITY_LOW);
  return {
    service,
    database,
    attacker: await world(stay),
    neighbour: await world(stay),
    account: () => world(stay),
    onlooker,
    close: async () => {
      client.close();
      onlooker.stop();
      process.kill(service.pid, 'SIGTERM');
      await service.exit;
      killProcesses();
      await database.close();
    },
  };
}

/** The neighbour fetches one contact after the other, some hundred a second, until `end` resolves. */
export async function notice(
  { neighbour, onlooker, service: { port } }: Scene,
  end: Promise<unknown>,
): Promise<Noticed> {
  const { id } = await neighbour.contact({ full_name: 'Nina Neighbour' });
  const path = `/api/v1/accounts/${neighbour.accountId}/contacts/${id}`;
  return onlooker.notice({ port, path, token: neighbour.admin.token }, end);
}

/** What the neighbour notices while nobody else is there, once the process is warm. */
export async function noticeQuiet(scene: Scene): Promise<Noticed> {
  await notice(scene, sleep(4000));
  return notice(scene, sleep(4000));
}

/** Megabytes of memory that the process which serves has. */
export const residentOf = (service: ServiceProcess): number => memoryOf(workerOf(service));

export const descriptorsOf = (service: ServiceProcess): number =>
  readdirSync(`/proc/${workerOf(service)}/fd`).length;

/** The most megabytes that the process has until `end` resolves. */
export async function mostResident(
  service: ServiceProcess,
  end: Promise<unknown>,
): Promise<number> {
  let over = false;
  void end.finally(() => (over = true));
  let max = 0;
  while (!over) {
    max = Math.max(max, residentOf(service));
    await sleep(50);
  }
  return max;
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
