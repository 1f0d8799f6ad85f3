import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { badRequest, tooLarge, unauthorized, unsupported } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

describe('a packed request', () => {
  const limit = 1024 * 1024;
  const gzip = { 'content-encoding': 'gzip' };
  const contact = JSON.stringify({ full_name: 'Gzip', custom_attributes: { a: 1 } });
  const padded = (bytes: number) => gzipSync(contact.padEnd(bytes));

  test('is read, by REST and by GraphQL', async () => {
    expect(await w.rest.post('/contacts', gzipSync(contact), gzip)).toAnswer(201);
    const { body } = await service.client.send({
      method: 'POST',
      path: '/graphql',
      headers: {
        ...gzip,
        authorization: `Bearer ${w.member.token}`,
        'content-type': 'application/json',
      },
      body: gzipSync(JSON.stringify({ query: '{ __typename }' })),
    });
    expect(body).toEqual({ data: { __typename: 'Query' } });
  });

  test.each(['GZIP', 'x-gzip'])('may call itself %s', async (name) => {
    const headers = { 'content-encoding': name };
    expect(await w.rest.post('/contacts', gzipSync(contact), headers)).toAnswer(201);
  });

  test('may unpack to the body limit and to no byte more', async () => {
    expect(await w.rest.post('/contacts', padded(limit), gzip)).toAnswer(201);
    expect(await w.rest.post('/contacts', padded(limit + 1), gzip)).toAnswer(413, tooLarge);
  });

  test('that is a bomb is unpacked to the limit and no further', async () => {
    const bomb = padded(64 * limit);
    expect(bomb.length).toBeLessThan(limit / 10);
    // A reader that goes on finds that it is broken.
    bomb.fill(0xff, bomb.length / 2);
    expect(await w.rest.post('/contacts', bomb, gzip)).toAnswer(413, tooLarge);
  });

  test.each([
    ['cut off', gzipSync(contact).subarray(0, -9)],
    ['followed by something else', Buffer.concat([gzipSync(contact), Buffer.from('more')])],
    ['not packed at all', Buffer.from(contact)],
    ['changed on the way', gzipSync(contact).fill(0, 20, 24)],
  ])('that is %s is malformed', async (_, body) => {
    const answer = await w.rest.post('/contacts', body, gzip);
    expect(answer).toAnswer(400, {
      ...badRequest,
      errors: ['The request body is not valid gzip'],
    });
  });

  test.each(['br', 'deflate', 'zstd', 'gzip, gzip', 'nonsense', ''])(
    'in the encoding %p is refused, and told what is read',
    async (encoding) => {
      const body = gzipSync(gzipSync(contact));
      const answer = await w.rest.post('/contacts', body, { 'content-encoding': encoding });
      const errors = ['Content-Encoding must be gzip, or left out'];
      expect(answer).toAnswer(415, { ...unsupported, errors });
      expect(answer.headers['accept-encoding']).toBe('gzip');
    },
  );

  test('is not unpacked for those who have no token', async () => {
    expect(await w.restAs(undefined).post('/contacts', gzipSync('{'), gzip)).toAnswer(
      401,
      unauthorized,
    );
  });

  test('of another type than JSON is refused for its type', async () => {
    const headers = { ...gzip, 'content-type': 'text/plain' };
    const answer = await w.rest.post('/contacts', gzipSync(contact), headers);
    expect(answer).toAnswer(415, unsupported);
    expect(answer.headers['accept-encoding']).toBeUndefined();
  });

  test('that holds nothing is an empty body', async () => {
    expect(await w.rest.post('/contacts/search', '', gzip)).toAnswer(200);
  });
});
