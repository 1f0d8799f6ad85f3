/** What requests cost on a Citus cluster beside the same PostgreSQL alone, in turns. */
import { randomUUID } from 'node:crypto';
import type { Request } from '../bench/operations/operation.ts';
import { send } from '../bench/processes.ts';
import type { Clients } from './crm.ts';

/** How long each operation is asked for at a time, and by how many. */
const milliseconds = 3000;
const connections = 16;
const rounds = 3;

const post = (path: string, body: object): Request => ({
  method: 'POST',
  path,
  body: JSON.stringify(body),
});

/** Requests by what they do, of an account's API; each is different where it writes. */
const operations = (api: string): Readonly<Record<string, () => Request>> => ({
  'contact get': () => ({ method: 'GET', path: `${api}/contacts/1` }),
  'deal get': () => ({ method: 'GET', path: `${api}/deals/1` }),
  'contact search': () => post(`${api}/contacts/search`, { query: { full_name_cont: 'a' } }),
  'deal search': () => post(`${api}/deals/search`, { query: { status_eq: 'open' } }),
  'contact create': () => post(`${api}/contacts`, { email: `${randomUUID()}@speed.example` }),
  'contact upsert': () =>
    post(`${api}/contacts/upsert`, {
      // One of enough addresses that two writers seldom meet.
      email: `known${Math.floor(Math.random() * 256)}@speed.example`,
      full_name: randomUUID(),
    }),
  'deal create': () => post(`${api}/deals`, { contact_id: 1, stage_id: 1, name: randomUUID() }),
});

/** Prints, for each operation, answers a second on the one and on the other, and the ratio. */
export async function compare(alone: Clients, cluster: Clients): Promise<void> {
  const api = `/api/v1/accounts/${alone.accountId}`;
  for (const [name, request] of Object.entries(operations(api))) {
    const rates = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      for (const [at, clients] of [alone, cluster].entries()) {
        rates[at] = Math.max(rates[at] ?? 0, await rateOf(clients, request));
      }
    }
    const [one = 0, other = 0] = rates;
    console.log(
      `${name}: ${other.toFixed(0)}/s of ${one.toFixed(0)}/s, ratio ${(other / one).toFixed(2)}`,
    );
  }
}

async function rateOf({ ports: [port = 0], token }: Clients, request: () => Request) {
  const began = performance.now();
  let answered = 0;
  const ask = async () => {
    while (performance.now() - began < milliseconds) {
      const { status } = await send(port, request(), token);
      if (status < 300) answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  return (answered * 1000) / (performance.now() - began);
}
