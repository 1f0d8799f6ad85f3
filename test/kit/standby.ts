import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A server that says it is a standby, until it becomes another way to the database. */
export interface Standby {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  /** When it has said for the first time that it is a standby. */
  readonly asked: Promise<void>;
  promote(): void;
  close(): Promise<void>;
}

/** A message of PostgreSQL's protocol. */
function message(type: string, ...content: readonly (number[] | string)[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part as string)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const ready = message('Z', 'I');
const authenticated = Buffer.concat([message('R', [0, 0, 0, 0]), ready]);

/** One row of one text column: `on`. */
const isReadOnly = Buffer.concat([
  message(
    'T',
    [0, 1],
    'transaction_read_only\0',
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0],
  ),
  message('D', [0, 1, 0, 0, 0, 2], 'on'),
  message('C', 'SHOW\0'),
  ready,
]);

/** @param databaseUrl where it leads once it is promoted */
export async function startStandby(databaseUrl: string): Promise<Standby> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let promoted = false;
  let tell = () => {};
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    client.on('close', () => sockets.delete(client));
    if (promoted) {
      const database = connect(Number(target.port), target.hostname);
      database.on('error', () => client.destroy());
      database.on('close', () => client.destroy());
      client.on('close', () => database.destroy());
      client.pipe(database).pipe(client);
      return;
    }
    let answer = authenticated;
    client.on('data', () => {
      client.write(answer);
      if (answer === isReadOnly) tell();
      answer = isReadOnly;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the standby has no port');
  return {
    asked,
    host: `127.0.0.1:${address.port}`,
    promote: () => {
      promoted = true;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
