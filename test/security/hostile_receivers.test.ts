/** Addresses that a webhook could name to reach what only this machine, or its network, can reach. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Receivers } from '../../src/delivery/receivers.ts';
import { send } from '../../src/delivery/send.ts';

/** Hears whatever reaches this machine at one port, by IPv4 and IPv6. */
const server = createServer((socket) => {
  connections += 1;
  socket.on('error', () => undefined).destroy();
});
let connections = 0;
let port: number;
beforeAll(async () => {
  server.listen(0, '::');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

/** What name servers that a stranger keeps could answer. */
const names: Readonly<Record<string, readonly string[]>> = {
  'loopback.example': ['127.0.0.1'],
  'private.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  // A connection would try one after the other.
  'both.example': ['93.184.215.14', '127.0.0.1'],
  'nothing.example': [],
};
let asked = 0;
const resolve = async (host: string) => {
  asked += 1;
  // It was public whenever somebody looked, but for now.
  if (host === 'changing.example') return ['127.0.0.1'];
  return names[host] ?? [];
};

const attempt = async (url: string, allow: readonly string[] = []) => {
  const receivers = new Receivers(allow, resolve);
  const secrets = ['whsec_c2VjcmV0'];
  const message = { url, body: '{}', message_id: 'msg_1', secrets };
  const made = await send(receivers, message, new AbortController().signal);
  receivers.close();
  return made?.outcome.error;
};

const written = [
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '0',
  '0.0.0.0',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[fec0::1]',
  '[5f00::1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[ff02::1]',
];
const named = [...Object.keys(names), 'changing.example', 'localhost', 'sub.localhost'];

test.each([...written, ...named])('%s is not connected to', async (host) => {
  const before = connections;
  const error = await attempt(`https://${host}:${port}/`);
  expect(error).toMatch(/(address that is not public|has no address)$/);
  expect(connections).toBe(before);
});

test('a name of this machine is asked of name servers alone', async () => {
  const before = asked;
  await attempt(`https://localhost:${port}/`);
  expect(asked).toBe(before + 1);
});

test('an exception is for its own address, host and port alone', async () => {
  const reached = async (url: string, allow: string) => {
    const before = connections;
    const error = await attempt(url, [allow]);
    return connections > before ? 'reached' : error;
  };
  const [https, http] = [`https://127.0.0.1:${port}/`, `http://127.0.0.1:${port}/`];
  const isNotPublic = expect.stringMatching(/^\w+.example leads to an address that is not public$/);
  const isNoUrl = 'The URL must not lead to an address that is not public';
  expect(await reached(https, '127.0.0.0/8')).toBe('reached');
  expect(await reached(http, '127.0.0.1')).toBe('reached');
  expect(await reached(http, `127.0.0.1:${port}`)).toBe('reached');
  expect(await reached(`https://[::1]:${port}/`, '::1')).toBe('reached');
  expect(await reached(`https://loopback.example:${port}/`, '127.0.0.0/8')).toBe('reached');
  expect(await reached(`https://six.example:${port}/`, '::/64')).toBe('reached');
  // What only the machine itself knows the name of.
  expect(await reached(`https://localhost:${port}/`, `localhost:${port}`)).toBe('reached');

  expect(await reached(https, '127.0.0.2')).toBe(isNoUrl);
  expect(await reached(https, `127.0.0.1:${port + 1}`)).toBe(isNoUrl);
  expect(await reached(https, '::/0')).toBe(isNoUrl);
  expect(await reached(`https://six.example:${port}/`, '0.0.0.0/0')).toEqual(isNotPublic);
  expect(await reached(`https://loopback.example:${port}/`, 'other.example')).toEqual(isNotPublic);
  expect(await reached(`http://loopback.example:${port}/`, '127.0.0.0/8')).toBe(
    'The URL must begin with https://, unless WEBHOOK_ALLOW names its host',
  );
});

test('an allowed address opens no other that its name has', async () => {
  const before = connections;
  expect(await attempt(`https://both.example:${port}/`, ['93.184.215.0/24'])).toBe(
    'both.example leads to an address that is not public',
  );
  expect(connections).toBe(before);
});
