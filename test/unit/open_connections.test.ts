import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Connections } from '../../src/http/limits/connections.ts';

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

let connections: Connections;
let server: Server;
let socket: Socket;
beforeEach(async () => {
  connections = new Connections(10);
  server = createServer((_, response) => response.end('here'));
  connections.watch(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  socket = connect(address.port, '127.0.0.1');
  socket.write(get);
  await once(socket, 'data');
});
afterEach(() => {
  socket.destroy();
});

test('a request that is on its way when the server stops listening is answered', async () => {
  const stopping = connections.acceptNone();
  expect(server.listening).toBe(false);
  socket.write(get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*here/);
  await stopping;
  expect(connections.open).toBe(0);
});

test('a connection on which nothing comes does not keep the server from stopping', async () => {
  await connections.acceptNone();
  expect(connections.open).toBe(1);
  const closed = once(socket, 'close');
  server.closeIdleConnections();
  await closed;
});
