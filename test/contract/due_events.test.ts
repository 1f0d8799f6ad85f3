/** Events that fall due: once for each moment that they are scheduled for, in the feed and for webhooks. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../src/db/database.ts';
import { type Change, caughtUp, changes, now } from '../kit/feed.ts';
import { delivering, startReceiver } from '../kit/receiver.ts';
import type { Event } from '../kit/records.ts';
import { type Service, startService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { until } from '../kit/wait.ts';
import { type Input, type World, world } from '../kit/world.ts';

const { openDatabase } = await shipped<typeof import('../../src/db/open.ts')>('db/open.js');
const { DueEvents } =
  await shipped<typeof import('../../src/resources/events/due.ts')>('resources/events/due.js');

let service: Service;
let database: Database;
let w: World;
beforeAll(async () => {
  service = await startService({ env: delivering });
  database = await openDatabase({ url: service.database.url });
  w = await world(service);
});
afterAll(async () => {
  await database.close();
  await service.close();
});

const warned: object[] = [];
const look = () =>
  new DueEvents(database, { warn: (what) => void warned.push(what) }, async () => undefined).look();

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

async function activity(fields: Input, of = w): Promise<Event> {
  const contact = await of.contact();
  const answer = await of.rest.post<Event>(`/contacts/${contact.id}/events`, {
    kind: 'activity',
    title: 'Call back',
    ...fields,
  });
  expect(answer).toAnswer(201);
  return answer.body;
}

/** What the feed tells of events after a cursor, their creations apart. */
async function toldAfter(after: string): Promise<readonly Change[]> {
  await caughtUp(w);
  const { data } = await changes(w.rest, { after, records: 'events' });
  return data.filter(({ action }) => action !== 'create');
}

const due = ({ id, account_id: _, created_at: __, updated_at: ___, ...shown }: Event) => ({
  ...{ cursor: expect.any(String), at: expect.any(String), action: 'due' },
  ...{ record_type: 'event', record_id: id, before: null },
  after: expect.objectContaining({
    ...{ kind: 'activity', title: shown.title, contact_id: shown.contact_id, done_at: null },
    scheduled_at: shown.scheduled_at,
  }),
  ...{ user_id: null, token_id: null, request_id: expect.any(String) },
});

test('what is not done when its moment passes is told once, and is not changed by it', async () => {
  const after = await now(w.rest);
  const event = await activity({ scheduled_at: ago(1) });
  const version = (await w.rest.get(`/events/${event.id}`)).headers.etag;
  await look();
  await look();
  expect(await toldAfter(after)).toEqual([due(event)]);
  const shown = await w.rest.get(`/events/${event.id}`);
  expect(shown).toAnswer(200, event);
  expect(shown.headers.etag).toBe(version);
});

test('neither what is done, nor what is to come, nor what has no moment is told', async () => {
  const after = await now(w.rest);
  await activity({ scheduled_at: ago(1), done: true });
  await activity({ scheduled_at: ago(-5) });
  await activity({});
  await look();
  expect(await toldAfter(after)).toEqual([]);
});

test('what is put off falls due again, and not before', async () => {
  const event = await activity({ scheduled_at: ago(2) });
  await look();
  const after = await now(w.rest);
  await w.rest.put(`/events/${event.id}`, { scheduled_at: ago(-5) });
  await look();
  await w.rest.put(`/events/${event.id}`, { scheduled_at: ago(1) });
  await look();
  const told = await toldAfter(after);
  expect(told.map(({ action }) => action)).toEqual(['update', 'update', 'due']);
});

test('with auto_done it is done as of the moment for which it was scheduled', async () => {
  const after = await now(w.rest);
  const event = await activity({ scheduled_at: ago(1), auto_done: true });
  await look();
  const [told, done, ...others] = await toldAfter(after);
  expect([told, others]).toEqual([due(event), []]);
  expect(done).toMatchObject({
    action: 'update',
    before: { done_at: null },
    after: { done_at: event.scheduled_at },
  });
  expect(await w.rest.get(`/events/${event.id}`)).toAnswer(200, {
    ...event,
    done: true,
    done_at: event.scheduled_at,
    updated_at: done?.at,
  });
});

test('processes that look at once tell each event once', async () => {
  const after = await now(w.rest);
  const made = await Promise.all(
    Array.from({ length: 20 }, () => activity({ scheduled_at: ago(1) })),
  );
  await Promise.all([look(), look(), look(), look()]);
  const told = await toldAfter(after);
  expect(told.map(({ record_id }) => record_id).sort()).toEqual(made.map(({ id }) => id).sort());
});

test('of many all are told', async () => {
  const event = await activity({ scheduled_at: ago(-5) });
  await service.database.query(
    `INSERT INTO events (account_id, contact_id, kind, scheduled_at)
     SELECT account_id, contact_id, 'activity', now() - interval '1 minute' FROM events, generate_series(1, 1200)
     WHERE id = $1`,
    [event.id],
  );
  await look();
  const [counted] = await service.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM audit_entries
     WHERE action = 'event.due' AND after->>'contact_id' = $1::text`,
    [event.contact_id],
  );
  expect(counted).toEqual({ count: 1200 });
});

test('a webhook of event.due is sent it as the feed tells it', async () => {
  const receiver = await startReceiver();
  const own = await world(service);
  await own.webhook({ url: receiver.url, events: ['event.due'] });
  const event = await activity({ scheduled_at: ago(1), auto_done: true }, own);
  await look();
  const [sent] = await until(
    async () => receiver.received,
    (received) => received.length > 0,
    10_000,
  );
  expect(JSON.parse(sent?.body ?? '')).toEqual(due(event));
  await receiver.close();
});

test('all went well', () => expect(warned).toEqual([]));
