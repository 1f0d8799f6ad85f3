/** Deliveries of a service that is killed again and again while it makes them. */
import { Webhook as Verifier } from 'standardwebhooks';
import type { TestDatabase } from '../kit/database.ts';
import { Client } from '../kit/http.ts';
import { killService, startProcess } from '../kit/process.ts';
import { delivering, type Received, startReceiver } from '../kit/receiver.ts';
import { Rest } from '../kit/rest.ts';
import { until } from '../kit/wait.ts';
import { world } from '../kit/world.ts';

/** Changes that are written in each round. */
const changes = 30;

export interface Survived {
  /** Changes whose writing was acknowledged, and those of them that were never sent. */
  readonly acknowledged: number;
  readonly lost: number;
  /** Messages that came, and those of them with an invalid signature. */
  readonly received: number;
  readonly unsigned: number;
}

const isSigned = (secret: string, { headers, body }: Received): boolean => {
  const of = (name: string) => String(headers[name]);
  try {
    new Verifier(secret).verify(body, {
      'webhook-id': of('webhook-id'),
      'webhook-timestamp': of('webhook-timestamp'),
      'webhook-signature': of('webhook-signature'),
    });
    return true;
  } catch {
    return false;
  }
};

/**
 * Writes while a service sends to a webhook, and kills it with SIGKILL at some message of each round. Claims
 * of before are then made 30 seconds older.
 */
export async function killRounds(database: TestDatabase, rounds: number): Promise<Survived> {
  const receiver = await startReceiver((response) => {
    setTimeout(() => response.end(), Math.random() * 10);
  });
  const start = async () => {
    const process = await startProcess({ database }, { RATE_LIMIT: 'off', ...delivering });
    return { ...process, client: new Client(process.url) };
  };
  let service = await start();
  const kill = async () => {
    await killService(service);
    service.client.close();
  };
  const { accountId, admin, webhook } = await world({ client: service.client, database }).then(
    async (w) => ({
      accountId: w.accountId,
      admin: w.admin,
      webhook: await w.webhook({ url: receiver.url, events: ['contact.create'] }),
    }),
  );
  const acknowledged = new Set<number>();
  let [verified, unsigned] = [0, 0];
  /** Signatures are good for five minutes, in which not all rounds end. */
  const verify = () => {
    const received = receiver.received.slice(verified);
    verified += received.length;
    unsigned += received.filter((one) => !isSigned(webhook.secret, one)).length;
  };
  for (let round = 0; round < rounds; round += 1) {
    const rest = new Rest(service.client, accountId, admin.token);
    const at = receiver.received.length + 1 + Math.floor(Math.random() * changes);
    const writing = Array.from({ length: changes }, async () => {
      const answer = await rest.post<{ id: number }>('/contacts', {}).catch(() => undefined);
      if (answer?.status === 201) acknowledged.add(answer.body.id);
    });
    await until(
      async () => receiver.received.length,
      (count) => count >= at,
      20_000,
    );
    await kill();
    await Promise.all(writing);
    verify();
    await database.query(
      `UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at - interval '30 s' WHERE status = 'pending'`,
    );
    service = await start();
  }
  await until(
    async () => missing(acknowledged, receiver.received).length,
    (left) => left === 0,
    60_000,
  );
  verify();
  process.kill(service.pid, 'SIGTERM');
  await service.exit;
  service.client.close();
  await receiver.close();
  return {
    acknowledged: acknowledged.size,
    lost: missing(acknowledged, receiver.received).length,
    received: receiver.received.length,
    unsigned,
  };
}

function missing(acknowledged: ReadonlySet<number>, received: readonly Received[]): number[] {
  const told = new Set(received.map(({ body }) => Number(JSON.parse(body).record_id)));
  return [...acknowledged].filter((id) => !told.has(id));
}
