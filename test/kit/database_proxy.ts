import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to the database that a test can cut. */
export interface DatabaseProxy {
  /** The database's address, by way of the proxy. */
  readonly url: string;
  /** Ends every connection and refuses new ones, until `mend`. */
  cut(): void;
  mend(): void;
  /** Leaves connections open and says nothing on them, until `mend`. */
  freeze(): void;
  /** The same for the connections that there are, for good; new ones are well. */
  forsake(): void;
  /** Passes everything on this many milliseconds later, either way, until `mend`. */
  lag(ms: number): void;
  /** Bytes that have passed so far: to the database, and from it. */
  traffic(): { readonly to: number; readonly from: number };
  close(): Promise<void>;
}

/** Stands between the service and its database, or between a client and the service. */
export async function startDatabaseProxy(targetUrl: string): Promise<DatabaseProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const forsaken = new WeakSet<Socket>();
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let lagMs = 0;
  const traffic = { to: 0, from: 0 };
  const later = (pass: () => void) => {
    if (lagMs === 0) pass();
    else setTimeout(pass, lagMs);
  };
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const database = connect(Number(target.port), target.hostname);
    for (const [from, to, way] of [
      [client, database, 'to'],
      [database, client, 'from'],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        traffic[way] += bytes.length;
        if (state !== 'open' || forsaken.has(from)) return;
        later(() => to.write(bytes));
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        later(() => to.destroy());
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const url = new URL(targetUrl);
  url.port = String(address.port);
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut: () => {
      state = 'cut';
      drop();
    },
    mend: () => {
      // Bytes that were swallowed cannot be sent again, and those that lag must not be overtaken: clients
      // that waited for them must connect anew.
      if (state === 'frozen' || lagMs > 0) drop();
      state = 'open';
      lagMs = 0;
    },
    forsake: () => {
      for (const socket of sockets) forsaken.add(socket);
    },
    lag: (ms) => {
      lagMs = ms;
    },
    freeze: () => {
      state = 'frozen';
    },
    traffic: () => ({ ...traffic }),
    close: async () => {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}
