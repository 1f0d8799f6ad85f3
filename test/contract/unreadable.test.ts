import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { answerUnreadable } from '../../src/http/malformed_requests.ts';
import { answerToBytes } from '../kit/bytes.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();

test.each([
  [
    'a header that is too large',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
  ],
  ['a method that does not exist', 'NONE / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  [
    'two lengths',
    'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
  ],
])('%s is refused in the shape of every error', async (_, bytes, status) => {
  const [head = '', body = ''] = (await answerToBytes(service.url, bytes)).split('\r\n\r\n');
  expect(head).toContain(`HTTP/1.1 ${status} `);
  const id = /X-Request-Id: (\S+)/.exec(head)?.[1];
  const summary = status === 431 ? 'Request header fields too large' : 'Bad request';
  const code = status === 431 ? 'headers_too_large' : 'bad_request';
  expect(JSON.parse(body)).toEqual({ error: summary, code, errors: [summary], request_id: id });
});

test.each(['/livez', 'https://x/livez', 'http://x/livez?a=/'])(
  'a request target may be a path or a whole URL (%s)',
  async (target) => {
    const bytes = `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect(await answerToBytes(service.url, bytes)).toMatch(/^HTTP\/1\.1 200 /);
  },
);

test.each(['*', 'x:443', 'livez', '?a=/', '//x@', '*/', 'https://x'])(
  'a request target that has no path (%s) is a 404, whatever the method',
  async (target) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
      const bytes = `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      expect(await answerToBytes(service.url, bytes)).toMatch(/^HTTP\/1\.1 40[04] /);
    }
  },
);

test.each([
  ['405', 'TRACE /livez', 'Expect: 100-continue\r\nTransfer-Encoding: x'],
  ['404', 'PROPFIND /nothing', 'Transfer-Encoding: x'],
  ['405', 'TRACE /livez', 'Transfer-Encoding: chunked'],
  ['417', 'POST /livez', 'Expect: a miracle\r\nTransfer-Encoding: chunked'],
])(
  'a %s for %s is its only answer, though its body cannot be read: %s',
  async (status, line, headers) => {
    const bytes = `${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\nno chunk\r\n`;
    const said = (await answerToBytes(service.url, bytes)).replace(
      'HTTP/1.1 100 Continue\r\n\r\n',
      '',
    );
    const [head = '', body = '', ...more] = said.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    if (headers.endsWith('x')) expect(head).toContain('\r\nConnection: close');
    const id = /x-request-id: (\S+)/.exec(head)?.[1];
    expect(JSON.parse(body)).toMatchObject({ request_id: id });
    expect(more).toEqual([]);
  },
);

test.each([
  ['close', true],
  ['keep-alive', false],
])(
  'the refusal of a body says that the connection ends where "Connection: %s" was sent: %s',
  async (connection, isLast) => {
    const w = await world(service);
    const head = [
      `POST /api/v1/accounts/${w.accountId}/contacts HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${w.admin.token}`,
      'Content-Type: application/json',
      `Connection: ${connection}`,
      'Content-Length: 1',
    ].join('\r\n');
    const next = isLast ? '' : 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const [refusal = ''] = (await answerToBytes(service.url, `${head}\r\n\r\n{${next}`)).split(
      '\r\n\r\n',
    );
    expect(refusal).toMatch(/^HTTP\/1\.1 400 /);
    expect(/^connection: close$/im.test(refusal)).toBe(isLast);
  },
);

test('what still comes of a request after its refusal does not end the connection before it is read', async () => {
  const ended: boolean[] = [];
  const server = createServer((socket) => {
    answerUnreadable(new Error('unreadable'), socket);
    answerUnreadable(new Error('and the rest of it, too'), socket);
    ended.push(socket.destroyed);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const socket = connect({ port: port ?? 0, host: '127.0.0.1' });
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await once(socket, 'close');
  expect(String(Buffer.concat(parts))).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\}$/s);
  expect(ended).toEqual([false]);
  server.close();
});
