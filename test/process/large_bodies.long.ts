/** Large bodies and answers, one behind the other on a connection that stays open. */
import { Agent, request } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Demo, demo, killProcesses, startProcess } from '../kit/process.ts';

let d: Demo;
beforeAll(async () => {
  d = await demo();
});
afterAll(async () => {
  killProcesses();
  await d.database.close();
});

test('a large body right behind a large answer is read', async () => {
  const service = await startProcess(d);
  const [contact] = await d.database.query<{ id: number }>('SELECT min(id) AS id FROM contacts');
  // Each of these characters takes six bytes on the way.
  const attributes = Object.fromEntries(
    Array.from({ length: 6000 }, (_, n) => [n.toString(36), n % 10]),
  );
  const body = JSON.stringify({
    kind: 'note',
    content: '\u0001'.repeat(65_535),
    custom_attributes: attributes,
    additional_attributes: attributes,
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const write = () =>
    new Promise<string>((resolve) => {
      request(
        {
          port: service.port,
          agent,
          method: 'POST',
          path: `/api/v1/accounts/${d.accountId}/contacts/${contact?.id}/events`,
          headers: {
            authorization: `Bearer ${d.token}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (answer) => answer.resume().on('end', () => resolve(String(answer.statusCode))),
      )
        .on('error', ({ message }) => resolve(message))
        .end(body);
    });
  const statuses: string[] = [];
  for (let n = 0; n < 60; n++) statuses.push(await write());
  agent.destroy();
  expect(statuses).toEqual(Array.from({ length: 60 }, () => '201'));
}, 60_000);
