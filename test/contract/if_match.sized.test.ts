/** If-Match, and `if_version` of GraphQL: a record is changed or removed as it was seen, or not at all. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { inLine } from '../kit/citus.ts';
import { oneOfEach } from '../kit/one_of_each.ts';
import { badRequest, hasChanged, invalid, notFound } from '../kit/refusals.ts';
import type { Body } from '../kit/rest.ts';
import { sample } from '../kit/sample.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
let ids: Readonly<Record<string, number>>;
beforeAll(async () => {
  ids = await oneOfEach(w);
  const { body } = await w.rest.post<{ id: number }>(`/deals/${ids.deals}/events`, {
    kind: 'note',
  });
  ids = { ...ids, events: body.id };
});

const tagAt = async (path: string): Promise<string> => (await w.rest.get(path)).headers.etag ?? '';
const match = (tag: string) => ({ 'if-match': tag });
const pathOf = (resource: string) =>
  resource === 'account' ? '' : `/${resource}/${ids[resource]}`;

/** A change of each kind of record, distinguished by a number; of deals by each way that they are written. */
const changes: readonly (readonly [string, (n: number) => Record<string, unknown>])[] = [
  ['contacts', (n) => ({ full_name: `Ana ${n}` })],
  ['deals', (n) => ({ name: `Deal ${n}` })],
  ['deals', (n) => ({ lost_reason: `Reason ${n}` })],
  ['deals', (n) => ({ stage_id: w.stageIds[1 + (n % 2)], name: `Moved ${n}` })],
  ['products', (n) => ({ name: `Product ${n}` })],
  ['deal_products', (n) => ({ quantity: n + 2 })],
  ['events', (n) => ({ title: `Event ${n}` })],
  ['pipelines', (n) => ({ name: `Pipeline ${n}` })],
  ['stages', (n) => ({ name: `Stage ${n}` })],
  ['users', (n) => ({ full_name: `User ${n}` })],
  ['webhooks', (n) => ({ description: `Webhook ${n}` })],
  ['account', (n) => ({ name: `Account ${n}` })],
];

describe.each(sample(changes, 3))('%s', (resource, change) => {
  test('of 50 changes at once with one If-Match one is made, and 49 are a 412', async () => {
    const path = pathOf(resource);
    const tag = await tagAt(path);
    const before = await w.count('audit_entries');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        inLine(() => w.rest.put<Record<string, unknown>>(path, change(n), match(tag))),
      ),
    );
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    for (const answer of answers) if (answer !== made[0]) expect(answer).toAnswer(412, hasChanged);
    const n = answers.findIndex(({ status }) => status === 200);
    expect((await w.rest.get(path)).body).toMatchObject(change(n));
    // The one change, and what goes with it: an event of a deal that moves, a total.
    expect((await w.count('audit_entries')) - before).toBeLessThanOrEqual(4);
  });

  test('a change goes on from the tag of the change before, by PATCH too', async () => {
    const path = pathOf(resource);
    let tag = await tagAt(path);
    for (const [n, method] of ['PUT', 'PATCH', 'PUT'].entries()) {
      const answer = await w.rest.send(method, path, change(100 + n), match(tag));
      expect(answer).toAnswer(200);
      expect(answer.headers.etag).not.toBe(tag);
      tag = answer.headers.etag ?? '';
    }
  });

  test('a stale tag is a 412 for what changes nothing and what has faults; a good one leaves 422', async () => {
    const path = pathOf(resource);
    const stale = await tagAt(path);
    await w.rest.put(path, change(200));
    const fault: Body = { [Object.keys(change(0))[0] ?? '']: [] };
    for (const body of [{}, change(200), fault]) {
      expect(await w.rest.put(path, body, match(stale))).toAnswer(412, hasChanged);
    }
    const fresh = match(await tagAt(path));
    expect((await w.rest.put(path, fault, fresh)).status).toBe(422);
    expect((await w.rest.put(path, {}, fresh)).status).toBe(200);
  });
});

const weak =
  'A weak tag (W/) in If-Match never matches: send the tag as ETag has it (RFC 9110, 13.1.1)';

describe('If-None-Match', () => {
  const none = (tag: string) => ({ 'if-none-match': tag });
  const refusal = (message: string) => ({ ...hasChanged, errors: [message] });
  const exists = refusal('The record exists, and If-None-Match: * demands that it does not');
  const excepted = refusal('The record has a version that it must not have');

  test.each([...new Map(changes)])(
    'of %s: * or the tag refuses to change it, another tag does not',
    async (resource, change) => {
      const path = pathOf(resource);
      const tag = await tagAt(path);
      for (const method of ['PUT', 'PATCH']) {
        expect(await w.rest.send(method, path, change(600), none('*'))).toAnswer(412, exists);
        expect(await w.rest.send(method, path, change(600), none(` ${tag}`))).toAnswer(
          412,
          excepted,
        );
        expect(await w.rest.send(method, path, {}, none(`"1", W/${tag}`))).toAnswer(412, excepted);
      }
      expect(await tagAt(path)).toBe(tag);
      expect(await w.rest.put(path, change(600), none('"1", W/"2"'))).toAnswer(200);
      expect(await w.rest.put(path, change(601), none(tag))).toAnswer(200);
    },
  );

  test('* or the tag refuses to remove a record, another tag does not', async () => {
    const paths = [
      `/contacts/${(await w.contact()).id}`,
      `/deals/${(await w.deal()).id}`,
      `/deal_products/${(await w.dealProduct()).id}`,
      `/products/${(await w.product()).id}`,
      `/users/${(await w.user()).id}`,
      `/webhooks/${(await w.webhook()).id}`,
    ];
    for (const path of paths) {
      const tag = await tagAt(path);
      expect(await w.rest.delete(path, none('*'))).toAnswer(412, exists);
      expect(await w.rest.delete(path, none(tag))).toAnswer(412, excepted);
      expect((await w.rest.delete(path, none('"1"'))).status).toBe(204);
      expect(await w.rest.delete(path, none('*'))).toAnswer(404, notFound);
    }
  });

  test('stands beside If-Match: both must hold', async () => {
    const path = pathOf('contacts');
    const tag = await tagAt(path);
    const put = (headers: Record<string, string>) =>
      w.rest.put(path, { full_name: 'Both' }, headers);
    expect(await put({ ...match('*'), ...none(tag) })).toAnswer(412, excepted);
    expect(await put({ ...match(tag), ...none(tag) })).toAnswer(412, excepted);
    expect(await put({ ...match('"1"'), ...none('"2"') })).toAnswer(412, hasChanged);
    expect(await put({ ...match(tag), ...none('"2"') })).toAnswer(200);
  });

  test.each(['', 'abc', '"abc', '*, "a"'])('%j is neither * nor tags: 400', async (sent) => {
    const at = pathOf('contacts');
    expect(await w.rest.put(at, { full_name: 'New' }, none(sent))).toAnswer(400, badRequest);
  });

  test('makes another request of one with the same key', async () => {
    const path = pathOf('contacts');
    const key = { 'idempotency-key': 'excepted' };
    const body = { full_name: 'Keyed' };
    expect(await w.rest.put(path, body, { ...key, ...none('*') })).toAnswer(412, exists);
    expect(await w.rest.put(path, body, key)).toAnswer(
      422,
      invalid({ 'Idempotency-Key': 'was sent with another request before' }),
    );
  });
});

describe('If-Match', () => {
  const path = () => `/contacts/${ids.contacts}`;
  const put = (tag: string) =>
    w.rest.put(path(), { full_name: `Ana ${Math.random()}` }, match(tag));

  test.each([
    ['*', () => '*'],
    ['one of several', (tag: string) => `"1", ${tag},W/"2"`],
    ['the tag of a compressed answer', (tag: string) => `${tag.slice(0, -1)}.br"`],
    ['several that are all the same', (tag: string) => `${tag}, ${tag}`],
  ])('holds: %s', async (_, sent) => {
    expect(await put(sent(await tagAt(path())))).toAnswer(200);
  });

  test.each([
    ['a weak tag', (tag: string) => `W/${tag}`, [weak]],
    ['weak tags', (tag: string) => `W/"1", W/${tag}`, [weak]],
    ['a weak tag beside another', (tag: string) => `"1", W/${tag}`, [...hasChanged.errors, weak]],
  ])('does not hold, and says why: %s', async (_, sent, errors) => {
    const refused = { ...hasChanged, errors };
    const { status, headers } = await w.rest.get(path());
    expect(status).toBe(200);
    expect(await put(sent(headers.etag ?? ''))).toAnswer(412, refused);
    expect(await w.rest.delete(path(), match(sent(headers.etag ?? '')))).toAnswer(412, refused);
  });

  test.each([
    ['another tag', () => '"other"'],
    ['an empty tag', () => '""'],
    ['a part of the version', (tag: string) => `${tag.slice(0, 2)}"`],
  ])('does not hold: %s', async (_, sent) => {
    expect(await put(sent(await tagAt(path())))).toAnswer(412, hasChanged);
  });

  test.each(['', 'abc', '"abc', 'abc"', '*, "a"', '"a" "b', 'w/"a"', '"a""b"'])(
    '%j is neither * nor tags: 400',
    async (sent) => {
      expect(await put(sent)).toAnswer(400, badRequest);
    },
  );

  test('the record’s 404 comes before its 412, 400 before both', async () => {
    const none = '/contacts/999999999';
    expect(await w.rest.put(none, {}, match('"1"'))).toAnswer(404, notFound);
    expect(await w.rest.delete(none, match('"1"'))).toAnswer(404, notFound);
    expect(await w.rest.put(none, {}, match('1'))).toAnswer(400, badRequest);
    expect(await w.rest.put(path(), '[]', match('"1"'))).toAnswer(412, hasChanged);
  });

  test('costs no statement where it holds', async () => {
    for (const resource of ['contacts', 'deals', 'products', 'deal_products', 'events']) {
      const [, change] = changes.find(([name]) => name === resource) ?? [];
      const headers = match(await tagAt(pathOf(resource)));
      const counts: number[] = [];
      for (const [n, sent] of [headers, undefined].entries()) {
        service.statements.length = 0;
        await w.rest.put(pathOf(resource), change?.(300 + n), sent);
        counts.push(service.statements.filter((text) => !/api_tokens/.test(text)).length);
      }
      expect(counts[0]).toBe(counts[1]);
    }
  });

  test('goes with a merge patch: of two that name one version the second is refused', async () => {
    const { id } = await w.contact({ custom_attributes: { a: 1 } });
    const headers = {
      'content-type': 'application/merge-patch+json',
      ...match(await tagAt(`/contacts/${id}`)),
    };
    const patch = (attributes: object) =>
      w.rest.send('PATCH', `/contacts/${id}`, { custom_attributes: attributes }, headers);
    expect((await patch({ b: 2 })).body).toMatchObject({ custom_attributes: { a: 1, b: 2 } });
    expect(await patch({ c: 3 })).toAnswer(412, hasChanged);
  });

  test('is nothing to a search or a creation', async () => {
    expect(await w.rest.post('/contacts', {}, match('"1"'))).toAnswer(201);
    expect(await w.rest.post('/contacts/search', {}, match('nonsense'))).toAnswer(200);
  });
});

describe('a removal', () => {
  const makers: Readonly<Record<string, () => Promise<number | undefined>>> = {
    contacts: async () => (await w.deal()).contact_id,
    deals: async () => (await w.deal()).id,
    products: async () => (await w.product()).id,
    deal_products: async () => (await w.dealProduct()).id,
    events: async () => {
      const at = `/contacts/${(await w.contact()).id}/events`;
      return (await w.rest.post<{ id: number }>(at, { kind: 'note' })).body.id;
    },
    pipelines: async () =>
      (await w.rest.post<{ id: number }>('/pipelines', { name: 'Gone' })).body.id,
    stages: async () => {
      const stage = { name: 'Gone', pipeline_id: w.other.pipelineId };
      return (await w.rest.post<{ id: number }>('/stages', stage)).body.id;
    },
    users: async () => (await w.user()).id,
    webhooks: async () => (await w.webhook()).id,
  };

  test.each(Object.keys(makers))(
    'of %s that have changed is a 412, otherwise it is made',
    async (resource) => {
      const path = `/${resource}/${await makers[resource]?.()}`;
      const stale = await tagAt(path);
      const [, change] = changes.find(([name]) => name === resource) ?? [];
      const written = await w.rest.put(path, change?.(400));
      expect(await w.rest.delete(path, match(stale))).toAnswer(412, hasChanged);
      expect((await w.rest.get(path)).headers.etag?.split('.')[0]).toBe(
        written.headers.etag?.slice(0, -1),
      );
      expect((await w.rest.delete(path, match(written.headers.etag ?? ''))).status).toBe(204);
      expect(await w.rest.delete(path, match('*'))).toAnswer(404, notFound);
    },
  );

  test.each(['tokens', 'deal_assignees'])('of %s asks for the version, too', async (resource) => {
    const made =
      resource === 'tokens'
        ? await w.rest.post<{ id: number }>('/tokens', { name: 'Gone' })
        : await w.rest.post<{ id: number }>('/deal_assignees', {
            deal_id: (await w.deal()).id,
            user_id: w.member.id,
          });
    const path = `/${resource}/${made.body.id}`;
    expect(await w.rest.delete(path, match('"1"'))).toAnswer(412, hasChanged);
    expect((await w.rest.delete(path, match(made.headers.etag ?? ''))).status).toBe(204);
  });

  test.each(Object.keys(makers))(
    'of %s beside changes of the same version: one of all is done',
    async (resource) => {
      const path = `/${resource}/${await makers[resource]?.()}`;
      const headers = match(await tagAt(path));
      const [, change] = changes.find(([name]) => name === resource) ?? [];
      const answers = await Promise.all([
        ...Array.from({ length: 5 }, (_, n) => w.rest.put(path, change?.(500 + n), headers)),
        ...Array.from({ length: 5 }, () => w.rest.delete(path, headers)),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status < 300)).toHaveLength(1);
      expect(statuses.filter((status) => status > 300 && status !== 412 && status !== 404)).toEqual(
        [],
      );
    },
  );
});

describe('GraphQL', () => {
  const update = (version: string | null) =>
    w.graphql.send(
      `mutation ($a: Integer!, $id: Integer!, $v: String) {
        update_contact(account_id: $a, id: $id, input: { full_name: "Ana" }, if_version: $v) { version }
      }`,
      { a: w.accountId, id: ids.contacts, v: version },
    );

  test('shows the version of every record, the one that REST’s tags have', async () => {
    const { body } = await w.graphql.send(
      `query ($a: Integer!, $c: Integer!, $d: Integer!, $s: Integer!, $w: Integer!) {
        account(account_id: $a) { version }
        contact(account_id: $a, id: $c) { version deals { version stage { version pipeline { version } } } events { version } }
        deal(account_id: $a, id: $d) { version deal_products { version product { version } } deal_assignees { user { version } } }
        stage(account_id: $a, id: $s) { version }
        webhook(account_id: $a, id: $w) { version }
        contacts(account_id: $a, query: { id_eq: $c }) { data { version } }
      }`,
      {
        a: w.accountId,
        c: ids.contacts,
        d: ids.deals,
        s: ids.stages,
        w: ids.webhooks,
      },
    );
    expect(body.errors).toBeUndefined();
    const data = Object(body.data);
    for (const [resource, name] of [
      ['account', 'account'],
      ['contacts', 'contact'],
      ['deals', 'deal'],
      ['stages', 'stage'],
      ['webhooks', 'webhook'],
    ] as const) {
      expect(await tagAt(pathOf(resource))).toMatch(new RegExp(`^"${data[name].version}\\.`));
    }
    expect(data.contacts.data[0]).toEqual({ version: data.contact.version });
  });

  test('a change that names another version than the record has is refused with PRECONDITION_FAILED', async () => {
    const first = await update(null);
    const { version } = Object(first.body.data).update_contact;
    await w.rest.put(`/contacts/${ids.contacts}`, { full_name: 'Changed' });
    const { body } = await update(version);
    expect(body.errors?.[0]).toMatchObject({
      message: 'Precondition failed',
      extensions: { code: 'PRECONDITION_FAILED' },
    });
    const { full_name } = (await w.rest.get<{ full_name: string }>(`/contacts/${ids.contacts}`))
      .body;
    expect(full_name).toBe('Changed');
  });

  test.each(['xx', '', '"1042"', '*', 'W/"1042"', '1042.mJ9PyFhXp0ikZnHNPi0qF0OJV8Y', '-1'])(
    'what is no version is refused as a malformed tag is: %j',
    async (version) => {
      const { body } = await update(version);
      expect(body.errors?.[0]).toMatchObject({
        message: 'Bad request',
        extensions: {
          code: 'BAD_USER_INPUT',
          errors: ['if_version must be a version as the field version has it: "1042"'],
        },
      });
    },
  );

  test('a creation shows versions of what it answers with', async () => {
    const { body } = await w.graphql.send(
      `mutation ($a: Integer!, $d: Integer!, $p: Integer!) {
        create_deal_product(account_id: $a, input: { deal_id: $d, product_id: $p }) { version deal { version } product { version } }
      }`,
      { a: w.accountId, d: ids.deals, p: ids.products },
    );
    const { version, deal, product } = Object(body.data).create_deal_product;
    expect(await tagAt(`/deals/${ids.deals}`)).toMatch(new RegExp(`^"${deal.version}\\.`));
    expect(await tagAt(`/products/${ids.products}`)).toMatch(new RegExp(`^"${product.version}\\.`));
    expect(version).toMatch(/^\d+$/);
  });
});

test('contacts of one e-mail: a stale tag is a 412, a good one the 422 of what is taken', async () => {
  const { id: holder, email } = await w.contact({ email: 'taken@if-match.example' });
  const { id } = await w.contact();
  expect(await w.rest.put(`/contacts/${id}`, { email }, match('"1"'))).toAnswer(412, hasChanged);
  const answer = await w.rest.put(
    `/contacts/${id}`,
    { email },
    match(await tagAt(`/contacts/${id}`)),
  );
  expect(answer).toAnswer(
    422,
    invalid({ email: 'has already been taken' }, { contact_id: holder }),
  );
});
