/** Replays of more than a webhook, or an account, may have sent again at once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { invalid } from '../kit/refusals.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
});
afterAll(() => service.close());

test('a replay of too many changes is refused before anything is written, and so is one too many', async () => {
  const contact = await w.contact({ full_name: 'Ana' });
  const { id } = await w.webhook({ events: ['contact.*'] });
  const more = (count: number) =>
    service.database.query(
      `INSERT INTO audit_entries (account_id, action, record_type, record_id, created_at, change_order)
       SELECT account_id, action, record_type, record_id, created_at, change_order
       FROM audit_entries, generate_series(1, ${count})
       WHERE account_id = $1 AND record_id = $2 AND action = 'contact.create' AND after IS NOT NULL`,
      [w.accountId, contact.id],
    );
  const period = { from: contact.created_at, to: contact.created_at };
  const replay = (of: number) => w.rest.post(`/webhooks/${of}/replay`, period);
  await more(100_000);
  const before = service.statements.length;
  const tooMany = { to: ['has more than 100000 changes since from'] };
  expect(await replay(id)).toAnswer(422, invalid(tooMany));
  const written = service.statements.slice(before).filter((text) => text.includes('INSERT'));
  expect(written).toEqual([]);
  await service.database.query(
    `INSERT INTO webhook_deliveries (account_id, webhook_id, message_id, event, record_type, record_id, next_attempt_at)
     SELECT $1, $2, 'msg_' || n, 'contact.create', 'contact', 1, now() + interval '1 day' FROM generate_series(1, 200000) AS n`,
    [w.accountId, id],
  );
  const { id: other } = await w.webhook({ events: ['deal.*', 'contact.update'] });
  await w.rest.put(`/contacts/${contact.id}`, { full_name: 'Bea' });
  const answer = await w.rest.post(`/webhooks/${other}/replay`, { from: contact.created_at });
  expect(answer).toAnswer(429, {
    error: 'Too many requests',
    code: 'too_many_requests',
    errors: [
      'The account would have more than 200000 deliveries pending: replay again once some are sent',
    ],
    request_id: expect.any(String),
  });
  expect(answer.headers['retry-after']).toBe('60');
});
