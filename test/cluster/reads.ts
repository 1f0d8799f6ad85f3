/** Whether a read from a standby sees what was written just before, through another process. */
import { randomUUID } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from '../bench/operations/operation.ts';
import { send } from '../bench/processes.ts';
import type { Clients } from './crm.ts';

export interface Checked {
  reads: number;
  stale: number;
  fromStandby: number;
}

/**
 * Changes contacts through one process and reads each at once through another.
 * @param times how often both must have been answered
 */
export async function readAfterWrite(clients: Clients, times: number): Promise<Checked> {
  const checked: Checked = { reads: 0, stale: 0, fromStandby: 0 };
  const at = `/api/v1/accounts/${clients.accountId}/contacts`;
  const [writing = 0, reading = 0] = clients.ports;
  const reader = async () => {
    const body = JSON.stringify({ email: `${randomUUID()}@cluster.example` });
    const made = await send(writing, { method: 'POST', path: at, body }, clients.token);
    const { id }: { id: number } = JSON.parse(made.text);
    while (checked.reads < times) {
      const full_name = randomUUID();
      const path = `${at}/${id}`;
      const change: Request = { method: 'PUT', path, body: JSON.stringify({ full_name }) };
      const { status } = await send(writing, change, clients.token);
      const answer = await readFromStandby(reading, path, clients.token);
      if (status !== 200 || answer.status !== 200) {
        await sleep(50);
        continue;
      }
      checked.reads += 1;
      if (answer.full_name !== full_name) checked.stale += 1;
      if (answer.isFromStandby) checked.fromStandby += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, reader));
  return checked;
}

interface Read {
  readonly status: number | undefined;
  readonly full_name: unknown;
  readonly isFromStandby: boolean;
}

function readFromStandby(port: number, path: string, token: string): Promise<Read> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, prefer: 'replica' };
    const call = httpsRequest({ port, path, headers, rejectUnauthorized: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const { full_name }: { full_name: unknown } = JSON.parse(Buffer.concat(parts).toString());
        const isFromStandby = answer.headers['preference-applied'] === 'replica';
        resolve({ status: answer.statusCode, full_name, isFromStandby });
      });
    });
    call.on('error', reject);
    call.end();
  });
}
