/**
 * Many streams of one account that go through all of its history at once, and what their neighbour
 * notices.
 */
import { once } from 'node:events';
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { send } from './requests.ts';
import { again, openScene, type Scene, silent, tell, written } from './scene.ts';

const streams = 950;
const contacts = 20_000;

/** The neighbour connects anew ten times a second, whether or not it was answered, until `end` resolves. */
async function connecting({ neighbour, service }: Scene, end: Promise<unknown>) {
  const path = `/api/v1/accounts/${neighbour.accountId}/contacts/search`;
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false });
  const asked = { method: 'POST', path, token: neighbour.admin.token, body: {} };
  const times: Promise<number>[] = [];
  const statuses = new Set<string>();
  const connect = async () => {
    const began = performance.now();
    statuses.add((await send(service, asked, agent)).status);
    return performance.now() - began;
  };
  await again(1, end, async () => {
    times.push(connect());
    await sleep(100);
  });
  const sorted = (await Promise.all(times)).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1), statuses: [...statuses] };
}

test('streams that go through the history keep nobody from connecting', async () => {
  const scene = await openScene();
  const { attacker, service } = scene;
  const batch = `/api/v1/accounts/${attacker.accountId}/contacts/batch`;
  const records = Array.from({ length: 1000 }, (_, n) => ({ full_name: `Name ${n}` }));
  for (let done = 0; done < contacts; done += records.length) {
    const body = { operation: 'create', records };
    await send(service, { method: 'POST', path: batch, token: attacker.admin.token, body });
  }
  const quiet = await connecting(scene, sleep(5000));
  const path = `/api/v1/accounts/${attacker.accountId}/changes?limit=1000`;
  const asked = written('GET', path, { token: attacker.admin.token }).replace(
    'Host: x',
    'Host: x\r\nAccept: text/event-stream',
  );
  const end = sleep(20_000);
  let opened = 0;
  const attack = again(streams, end, async () => {
    const socket = await silent(service, asked);
    opened += 1;
    await Promise.race([once(socket, 'close'), end]);
    socket.destroy();
  });
  const noticed = await connecting(scene, end);
  await attack;
  tell(`${streams} streams from the beginning`, { quiet, noticed, opened });
  await scene.close();
  expect(noticed.statuses).toEqual(['200']);
  expect(noticed.p95).toBeLessThan(1000);
});
