/** The receivers that a guide shows, and the one for developers: they know our messages from others. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { signatureOf } from '../../src/delivery/signature.ts';
import { blocksOf } from '../kit/guides.ts';
import { until } from '../kit/wait.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(30_000);

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const root = new URL('../..', import.meta.url);
let directory: string;
const started = new Set<ChildProcess>();
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'receivers-'));
});
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/** Starts a program that receives, once it listens. */
async function start(command: string, args: (port: number) => readonly string[]) {
  const port = await freePort();
  const env = { ...process.env, SECRET: secret, PORT: String(port) };
  const child = spawn(command, args(port), { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.add(child);
  const printed = text(child.stdout);
  await until(
    () => isListening(port),
    (listens) => listens,
    20_000,
  );
  const send = async (message: {
    readonly id?: string;
    readonly body?: string;
    readonly at?: Date;
    readonly by?: string;
    readonly as?: string;
  }) => {
    const { id = 'msg_1', body = '{"record_id":7}', at = new Date(), by = secret, as } = message;
    const headers = signatureOf({ message_id: id, secrets: [by] }, body, at);
    const sent = { method: 'POST', headers, body: as ?? body };
    const { status } = await fetch(`http://127.0.0.1:${port}/`, sent);
    return status;
  };
  const stop = async () => {
    child.kill('SIGINT');
    return (await printed).trim().split('\n');
  };
  return { send, stop };
}

const inFile = (name: string, content: string | undefined): string => {
  const path = join(directory, name);
  writeFileSync(path, content ?? '');
  return path;
};

const minutes = (count: number) => new Date(Date.now() + count * 60_000);
const other = `whsec_${Buffer.from('another secret of a webhook').toString('base64')}`;

/** What a receiver answers to what is genuine, and to what is not. */
async function tried({ send }: Awaited<ReturnType<typeof start>>) {
  const genuine = [await send({}), await send({}), await send({ id: 'msg_2', body: '{"é":1}' })];
  const forged = [
    await send({ id: 'msg_3', by: other }),
    await send({ id: 'msg_4', as: '{"record_id":8}' }),
    await send({ id: 'msg_5', at: minutes(-6) }),
    await send({ id: 'msg_6', at: minutes(6) }),
  ];
  return { genuine, forged };
}

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.each([
  ['Node', 'js', 'receiver.mjs', process.execPath],
  ...(hasPython ? [['Python', 'python', 'receiver.py', 'python3'] as const] : []),
])(
  'the receiver in %s takes what is signed, each message once',
  async (_, language, name, command) => {
    const file = inFile(name, blocksOf('src/docs/how-to/receive-webhooks.md', language)[0]);
    const receiver = await start(command, () => [file]);
    expect(await tried(receiver)).toEqual({
      genuine: [204, 204, 204],
      forged: [400, 400, 400, 400],
    });
    const lines = await receiver.stop();
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ record_id: 7 }, { é: 1 }]);
  },
);

test('crm webhook listen prints what comes, and whether it is signed', async () => {
  const [command = ''] = blocksOf('src/docs/how-to/receive-webhooks.md', 'sh');
  const [, words = ''] = /^npm run --silent crm -- (.*)\n$/.exec(command) ?? [];
  const receiver = await start(process.execPath, (port) => [
    'dist/cli/main.js',
    ...words.replace('9000', String(port)).split(' '),
  ]);
  expect(await tried(receiver)).toEqual({ genuine: [200, 200, 200], forged: [400, 400, 400, 400] });
  const lines = (await receiver.stop()).map((line) => JSON.parse(line));
  expect(lines.map(({ id, signed, fault = '' }) => `${id} ${signed} ${fault}`)).toEqual([
    'msg_1 true ',
    'msg_1 true ',
    'msg_2 true ',
    'msg_3 false No matching signature found',
    'msg_4 false No matching signature found',
    'msg_5 false Message timestamp too old',
    'msg_6 false Message timestamp too new',
  ]);
  expect(lines[0]).toMatchObject({ at: expect.stringMatching(/^\d+$/), body: { record_id: 7 } });
});
