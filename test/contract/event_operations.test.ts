import { describe, expect, test } from '@jest/globals';
import type { Event } from '../kit/records.ts';
import { invalid, notFound } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { eventBody, moment, onePage } from '../kit/shapes.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

/** An event that a client wrote: not done, of nobody. */
const written = (fields: Record<string, unknown>) =>
  eventBody(w.accountId, { content: '', done: false, done_at: null, ...fields });

async function note(fields: Record<string, unknown> = {}): Promise<Event> {
  const contact = await w.contact();
  const path = `/contacts/${contact.id}/events`;
  const { body, text } = await w.rest.post<Event>(path, { kind: 'note', ...fields });
  if (!body?.id) throw new Error(text);
  return body;
}

const full = {
  kind: 'activity',
  title: 'Call',
  content: 'Ask about\nthe offer',
  scheduled_at: '2026-03-01T10:00:00.000Z',
  auto_done: true,
  custom_attributes: { b: 1, a: [null] },
  additional_attributes: { channel: 'phone' },
};

describe('POST /deals/{deal_id}/events', () => {
  test('201 with the whole event, of the deal and of its contact', async () => {
    const deal = await w.deal();
    const answer = await w.rest.post<Event>(`/deals/${deal.id}/events`, full);
    const body = written({ ...full, deal_id: deal.id, contact_id: deal.contact_id });
    expect(answer).toAnswer(201, body);
    expect(answer.text).toContain('"custom_attributes":{"b":1,"a":[null]}');
    expect((await w.eventsOf(deal)).map((event) => event.kind)).toEqual([
      'deal_opened',
      'activity',
    ]);
    const [entry] = await service.database.query(
      `SELECT action, user_id, after->>'title' AS title FROM audit_entries
       WHERE account_id = $1 AND record_type = 'event' AND record_id = $2`,
      [w.accountId, answer.body.id],
    );
    expect(entry).toEqual({ action: 'event.create', user_id: w.admin.id, title: 'Call' });
  });

  test('404 for a deal that is not of the account, before any 422', async () => {
    const theirs = await (await world(service)).deal();
    expect(await w.rest.post(`/deals/${theirs.id}/events`, full)).toAnswer(404, notFound);
    expect(await w.rest.post(`/deals/${theirs.id}/events`, {})).toAnswer(404, notFound);
    expect(await w.rest.post('/deals/x/events', full)).toAnswer(404, notFound);
  });
});

describe('POST /contacts/{contact_id}/events', () => {
  test('201 for the kind alone, which is of no deal', async () => {
    const contact = await w.contact();
    expect(await w.rest.post(`/contacts/${contact.id}/events`, { kind: 'note' })).toAnswer(
      201,
      written({ kind: 'note', deal_id: null, contact_id: contact.id }),
    );
  });

  test('404 for a contact that is not of the account, before any 422', async () => {
    const theirs = await (await world(service)).contact();
    expect(await w.rest.post(`/contacts/${theirs.id}/events`, {})).toAnswer(404, notFound);
  });

  test.each([
    [{}, { kind: "can't be blank" }],
    [{ kind: null }, { kind: "can't be blank" }],
    [{ kind: 'deal_won' }, { kind: 'is not included in the list (note, activity)' }],
    [{ kind: 'deal_opened' }, { kind: 'is not included in the list (note, activity)' }],
    [{ kind: 'call' }, { kind: 'is not included in the list (note, activity)' }],
    [
      {
        kind: 1,
        title: 'x'.repeat(256),
        content: 'x'.repeat(65_536),
        scheduled_at: 'soon',
        done: 'maybe',
        auto_done: 2,
      },
      {
        kind: 'is not included in the list (note, activity)',
        title: 'is too long (maximum is 255 characters)',
        content: 'is too long (maximum is 65535 characters)',
        scheduled_at: 'must be an ISO 8601 time in UTC, such as 2026-03-01T10:00:00Z',
        done: 'must be true or false',
        auto_done: 'must be true or false',
      },
    ],
    [
      { kind: 'note', custom_attributes: [1], additional_attributes: 'x' },
      { custom_attributes: 'must be an object', additional_attributes: 'must be an object' },
    ],
  ])('422 for %j', async (body, messages) => {
    const contact = await w.contact();
    const answer = await w.rest.post(`/contacts/${contact.id}/events`, body);
    expect(answer).toAnswer(422, invalid(messages));
  });

  const at = '2026-01-02T03:04:05.006Z';
  test.each([
    [{ done: true }, { done: true, done_at: moment }],
    [
      { done: true, done_at: at },
      { done: true, done_at: at },
    ],
    [{ done_at: at }, { done: true, done_at: at }],
    [
      { done: false, done_at: at },
      { done: false, done_at: null },
    ],
    [
      { done: true, done_at: null },
      { done: true, done_at: moment },
    ],
    [{ done: null }, { done: false, done_at: null }],
  ])('done: %j', async (sent, expected) => {
    expect(await note(sent)).toMatchObject(expected);
  });
});

describe('PUT /events/{id}', () => {
  test('200: what is sent changes, the rest stays', async () => {
    const event = await note({ title: 'Before', content: 'Kept' });
    const answer = await w.rest.put(`/events/${event.id}`, { title: 'After', kind: 'activity' });
    expect(answer).toAnswer(200, {
      ...event,
      title: 'After',
      kind: 'activity',
      updated_at: moment,
    });
    const [entry] = await service.database.query(
      `SELECT action, before, after FROM audit_entries WHERE account_id = $1 AND record_type = 'event'
       AND record_id = $2 ORDER BY id DESC LIMIT 1`,
      [w.accountId, event.id],
    );
    expect(entry).toEqual({
      action: 'event.update',
      before: { title: 'Before', kind: 'note' },
      after: { title: 'After', kind: 'activity' },
    });
  });

  test('200 for the fetched event sent back', async () => {
    const event = await note({ ...full, done: true });
    expect(await w.rest.put(`/events/${event.id}`, { ...event })).toAnswer(200, event);
  });

  test('done and done again, and then not', async () => {
    const event = await note();
    const path = `/events/${event.id}`;
    const { body } = await w.rest.put<Event>(path, { done: true });
    expect(body).toMatchObject({ done: true, done_at: moment });
    expect(await w.rest.put(path, { done: true })).toAnswer(200, body);
    const open = await w.rest.put<Event>(path, { ...body, done: false });
    expect(open.body).toMatchObject({ done: false, done_at: null });
  });

  test('contact_id and deal_id cannot be changed, and may be sent back', async () => {
    const event = await note();
    const { id: contact_id } = await w.contact();
    const { id: deal_id } = await w.deal();
    const put = (body: Record<string, unknown>) => w.rest.put(`/events/${event.id}`, body);
    const cannot = 'cannot be changed';
    expect(await put({ contact_id, deal_id, title: 'Moved' })).toAnswer(
      422,
      invalid({ contact_id: cannot, deal_id: cannot }),
    );
    expect(await put({ contact_id: null })).toAnswer(422, invalid({ contact_id: cannot }));
    const fetched = await w.rest.get(`/events/${event.id}`);
    expect(await put({ contact_id: event.contact_id, deal_id: null })).toAnswer(200, event);
    expect(await w.rest.put(`/events/${event.id}`, fetched.text)).toAnswer(200, event);
  });

  test('on creation they are those of the path, if they are sent at all', async () => {
    const deal = await w.deal();
    const { contact_id, id: deal_id } = deal;
    const other = await w.contact();
    const post = (path: string, body: object) => w.rest.post(path, { kind: 'note', ...body });
    expect(await post(`/deals/${deal_id}/events`, { deal_id, contact_id })).toAnswer(201);
    expect(await post(`/deals/${deal_id}/events`, { contact_id: other.id })).toAnswer(
      422,
      invalid({ contact_id: 'is not that of the path' }),
    );
    expect(await post(`/contacts/${contact_id}/events`, { deal_id: null })).toAnswer(201);
    expect(await post(`/contacts/${contact_id}/events`, { deal_id })).toAnswer(
      422,
      invalid({ deal_id: 'is not that of the path' }),
    );
    expect(await post('/contacts/1/events', { deal_id })).toAnswer(404, notFound);
  });

  test('null clears to the default', async () => {
    const event = await note({ ...full, done: true });
    const cleared = {
      title: null,
      content: null,
      scheduled_at: null,
      done_at: null,
      auto_done: null,
      custom_attributes: null,
      additional_attributes: null,
    };
    expect(await w.rest.put(`/events/${event.id}`, cleared)).toAnswer(
      200,
      written({ kind: 'activity', id: event.id, deal_id: null, contact_id: event.contact_id }),
    );
  });

  test('422 for a kind of the service’s own', async () => {
    const event = await note();
    expect(await w.rest.put(`/events/${event.id}`, { kind: 'deal_won' })).toAnswer(
      422,
      invalid({ kind: 'is not included in the list (note, activity)' }),
    );
  });

  test('422 for an event that the service wrote, whatever is sent', async () => {
    const [opened] = await w.eventsOf(await w.deal());
    const refused = invalid({
      kind: 'is one that the service writes itself, and cannot be changed',
    });
    for (const body of [{ kind: 'note' }, { title: 'x' }, {}]) {
      expect(await w.rest.put(`/events/${opened?.id}`, body)).toAnswer(422, refused);
    }
  });

  test('404 before 422, and across accounts', async () => {
    const event = await note();
    const stranger = await world(service);
    const path = `/events/${event.id}`;
    expect(await stranger.rest.put(path, { kind: 'x' })).toAnswer(404, notFound);
    expect(await stranger.rest.get(path)).toAnswer(404, notFound);
    expect(await stranger.rest.delete(path)).toAnswer(404, notFound);
    expect(await w.rest.get(path)).toAnswer(200, event);
  });
});

test('DELETE /events/{id}: 204, once', async () => {
  const event = await note({ title: 'Gone' });
  expect(await w.rest.delete(`/events/${event.id}`)).toAnswer(204, undefined);
  expect(await w.rest.delete(`/events/${event.id}`)).toAnswer(404, notFound);
  const [entry] = await service.database.query<{ title: string }>(
    `SELECT before->>'title' AS title FROM audit_entries
     WHERE account_id = $1 AND action = 'event.delete' AND record_id = $2`,
    [w.accountId, event.id],
  );
  expect(entry?.title).toBe('Gone');
});

test('POST /events/search', async () => {
  const event = await note({ title: 'Needle' });
  const search = {
    query: { kind_eq: 'note', title_cont: 'needle', contact_id_eq: event.contact_id },
  };
  expect(await w.rest.post('/events/search', search)).toAnswer(200, onePage([event]));
});
