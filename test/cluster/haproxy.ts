/** Gateways behind HAProxy, with the settings that are shipped. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { freePort } from '../../src/postgres/free_port.ts';
import { send } from '../attack/requests.ts';
import { startDatabaseProxy } from '../kit/database_proxy.ts';
import { given } from '../kit/environment.ts';
import {
  type Demo,
  type ProcessOptions,
  type ServiceProcess,
  startProcess,
} from '../kit/process.ts';
import { until } from '../kit/wait.ts';

const configuration = fileURLToPath(new URL('../../src/deploy/haproxy.cfg', import.meta.url));

/** The port of each mode. */
interface Ports {
  readonly tcp: number;
  readonly http: number;
}

export interface Haproxy {
  readonly near: Ports;
  /** For clients that are far away, so that their requests cross with the answers to them. */
  readonly far: Ports;
  close(): Promise<void>;
}

export async function startHaproxy(one: number, two: number): Promise<Haproxy> {
  const directory = await mkdtemp(join(tmpdir(), 'crm haproxy '));
  const pem = join(directory, 'haproxy.pem');
  const files = ['CRM_TEST_CERT', 'CRM_TEST_KEY'].map((name) => readFile(given(name), 'utf8'));
  await writeFile(pem, (await Promise.all(files)).join('\n'));
  const near = { tcp: await freePort(), http: await freePort() };
  const haproxy = spawn('haproxy', ['-db', '-f', configuration], {
    env: {
      ...process.env,
      CRM_ONE: `127.0.0.1:${one}`,
      CRM_TWO: `127.0.0.1:${two}`,
      CRM_TCP: `127.0.0.1:${near.tcp}`,
      CRM_HTTP: `127.0.0.1:${near.http}`,
      CRM_CERT: pem,
      CRM_CA: given('CRM_TEST_CERT'),
      CRM_NAME: 'localhost',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [tcp, http] = [await lagging(near.tcp), await lagging(near.http)];
  const far = { tcp: tcp.port, http: http.port };
  const close = async () => {
    haproxy.kill('SIGKILL');
    await tcp.close();
    await http.close();
    await rm(directory, { recursive: true });
  };
  try {
    for (const ports of [near, far]) {
      await ready(ports.tcp);
      await ready(ports.http);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { near, far, close };
}

async function ready(port: number): Promise<void> {
  const ask = async () => (await send({ port }, { path: '/readyz' })).status;
  expect(await until(ask, (status) => status === '200', 10_000)).toBe('200');
}

async function lagging(port: number) {
  const { url, lag, close } = await startDatabaseProxy(`https://127.0.0.1:${port}`);
  lag(10);
  return { port: Number(new URL(url).port), close };
}

/** @param options those of another version */
export const startGateway = (
  shop: Pick<Demo, 'database'>,
  port: number,
  options: ProcessOptions = {},
): Promise<ServiceProcess> =>
  startProcess(shop, { PORT: String(port), SHUTDOWN_DELAY: '5s', RATE_LIMIT: 'off' }, options);

/** Stops a gateway, starts another one in its place and waits until HAProxy has seen that it is there. */
export async function replace(
  old: ServiceProcess,
  start: (port: number) => Promise<unknown>,
): Promise<void> {
  process.kill(old.pid, 'SIGTERM');
  expect(await old.exit).toEqual([0, null]);
  await start(old.port);
  await sleep(4000);
}
