/** Subscriptions: what ends them, and what they take from others, which is little. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { sendEvents } from '../../src/http/event_stream.ts';
import { UnreadResponses } from '../../src/http/limits/unread_responses.ts';
import { type Listening, listen } from '../kit/events.ts';
import { ownPage, Person } from '../kit/person.ts';
import { type Service, startService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { type World, world } from '../kit/world.ts';

describe('of the service', () => {
  let service: Service;
  let w: World;
  beforeAll(async () => {
    // Ten answers may be held back for an account.
    service = await startService({ env: { MAX_CONNECTIONS: '40' } });
    w = await world(service);
  });
  afterAll(() => service.close());

  const watched = ({ accountId }: World) => ({
    query: `subscription { deals_summary(account_id: ${accountId}) { count } }`,
  });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  const open = async (
    headers: Readonly<Record<string, string>> = bearer(w.admin.token),
    { account = w, at = service } = {},
  ): Promise<Listening> => {
    const stream = await listen(
      at.url,
      '/graphql/stream',
      headers,
      JSON.stringify(watched(account)),
    );
    if (stream.status === 200) await stream.came(1);
    return stream;
  };

  test('end soon after a revocation, a sign-out or another role, wherever that was done', async () => {
    const revoked = await open(bearer(await issue(service.database, w.member)));
    const stays = await open();
    const { email, id } = await w.user();
    const [person, other] = [new Person(service.client), new Person(service.client)];
    await Promise.all([person.signIn(email), other.signIn(email)]);
    const [out, promoted] = await Promise.all(
      [person, other].map(({ cookie = '' }) => open({ ...ownPage, cookie })),
    );
    await person.send('DELETE', '/session');
    await service.database.query('UPDATE api_tokens SET revoked_at = now() WHERE user_id = $1', [
      w.member.id,
    ]);
    expect(await w.rest.put(`/users/${id}`, { role: 'admin' })).toAnswer(200);
    // It may take two looks, of two seconds each.
    await Promise.all([revoked, out, promoted].map((stream) => stream?.ended()));
    await w.deal();
    await stays.came(2);
    expect([revoked, out, promoted].map((stream) => stream?.events.length)).toEqual([1, 1, 1]);
    stays.close();
  });

  test('are not begun for a cookie that comes from elsewhere', async () => {
    const { email } = await w.user();
    const person = new Person(service.client);
    await person.signIn(email);
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
      expect(await person.send('POST', '/graphql/stream', watched(w), headers)).toAnswer(403);
    }
  });

  test('are bounded in number for each account', async () => {
    const other = await world(service);
    const streams = await Promise.all(Array.from({ length: 10 }, () => open()));
    const refused = await open();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(JSON.parse(refused.body)).toEqual({
      errors: [
        {
          message: 'Too many requests',
          extensions: {
            code: 'TOO_MANY_REQUESTS',
            errors: ['Too many answers to this account are being held back'],
          },
        },
      ],
    });
    streams.push(await open(bearer(other.admin.token), { account: other }));
    for (const stream of streams) stream.close();
  });

  test('end when the service does, for their clients to come back elsewhere', async () => {
    const own = await startService({ database: service.database });
    const stream = await open(undefined, { at: own });
    await Promise.all([stream.ended(), own.close()]);
    expect(stream.events).toHaveLength(1);
  });
});

test('who reads nothing is given up, and nothing is kept for them', async () => {
  const answers = new UnreadResponses({ unread: 100, unhurried: 1e6, strangers: 1e6, looking: 10 });
  const server: FastifyInstance = Fastify({
    forceCloseConnections: true,
    serverFactory: (listener) => createServer(answers.before(listener)),
  });
  answers.count(server);
  const over = new Promise<void>((resolve) => {
    async function* telling() {
      try {
        for (;;) {
          yield Buffer.from(`data: ${'x'.repeat(16 * 1024 * 1024)}\n\n`);
        }
      } finally {
        resolve();
      }
    }
    server.get('/', async (request, reply) => {
      await sendEvents(request, reply, telling(), answers);
      return reply;
    });
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await over;
  expect([answers.abandoned, answers.held]).toEqual([1, 0]);
  socket.destroy();
  await server.close();
});
