/** A receiver of webhooks on this machine, in plain HTTP: what came, and answers as the test wants them. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly body: string;
  readonly path: string;
  /** On the clock of `performance`. */
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** How many connections were made to it, whatever came over them. */
  readonly connections: () => number;
  close(): Promise<void>;
}

const well = (response: ServerResponse) => void response.end('ok');

/** @param answer answers a request, or does not; 200 unless given */
export async function startReceiver(
  answer: (response: ServerResponse, received: Received) => void = well,
): Promise<Receiver> {
  const received: Received[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const one = {
      headers: request.headers,
      ...{ bytes, body: bytes.toString() },
      ...{ path: request.url ?? '', at: performance.now() },
    };
    received.push(one);
    answer(response, one);
  });
  server.on('connection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    received,
    connections: () => connections,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What a service sends that may send to receivers of this machine. */
export const delivering = { WEBHOOK_DELIVERY: 'on', WEBHOOK_ALLOW: '127.0.0.0/8' } as const;
