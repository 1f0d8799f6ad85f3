/** The examples of the OpenAPI document, as somebody sends them who has just started the service. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Demo, demo } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import '../kit/to_answer.ts';

const { openapi } = await shipped<typeof import('../../src/rest/openapi/document.ts')>(
  'rest/openapi/document.js',
);

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly example?: object;
        readonly examples?: Readonly<Record<string, { readonly value: object }>>;
      };
    };
  };
}

const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  JSON.stringify(openapi()),
);

const documented = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, ...operation })),
);

/** Bodies that are shown for an operation; none of them where it takes none. */
function bodiesOf({ requestBody }: Operation): readonly (object | undefined)[] {
  if (!requestBody) return [undefined];
  const { example, examples } = requestBody.content['application/json'];
  return example ? [example] : Object.values(examples ?? {}).map(({ value }) => value);
}

let d: Demo;
let service: Service;

beforeAll(async () => {
  // The ids of a first start.
  d = await demo(1);
  service = await startService({ database: d.database });
  // The demo has no receiver to send anything to.
  await d.database.query(`
    INSERT INTO webhooks (account_id, user_id, url, events, secret)
    VALUES (1, 1, 'https://receiver.invalid/', '{contact.*}', 'whsec_c2VjcmV0');
    INSERT INTO webhook_deliveries (account_id, webhook_id, message_id, event, record_type, record_id, status, next_attempt_at)
    VALUES (1, 1, 'msg_1', 'contact.create', 'contact', 1, 'failed', NULL)`);
});

afterAll(async () => {
  await service.close();
  await d.database.close();
});

const send = (method: string, path: string, parameters: readonly Parameter[], body?: object) => {
  const place = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
  const query = parameters
    .filter(({ in: where, example }) => where === 'query' && example !== undefined)
    .flatMap(({ name, example }) =>
      typeof example === 'object'
        ? Object.entries(Object(example)).map(([key, value]) => `${name}[${key}]=${value}`)
        : [`${name}=${example}`],
    );
  return service.client.send<{ data?: unknown[] }>({
    method: method.toUpperCase(),
    path: query.length > 0 ? `${place}?${query.join('&').replaceAll(' ', '+')}` : place,
    headers: { authorization: `Bearer ${d.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
};

test('every example of a search finds something in the demo account', async () => {
  const searches = documented.filter(({ path }) => path.endsWith('/search'));
  expect(searches.length).toBeGreaterThan(10);
  const empty: string[] = [];
  for (const search of searches) {
    for (const body of bodiesOf(search)) {
      const answer = await send(search.method, search.path, search.parameters, body);
      expect(answer).toAnswer(200);
      if (answer.body.data?.length === 0) empty.push(JSON.stringify(body));
    }
  }
  // Each contact of the demo account has a deal.
  expect(empty).toEqual([expect.stringContaining('deals_id_null')]);
});

test('every other example is answered as it says, with the demo account as it is at first', async () => {
  const others = documented.filter(
    // What is there cannot be restored.
    ({ path, method }) => !/\/(search|restore)$/.test(path) && method !== 'delete',
  );
  expect(others.length).toBeGreaterThan(30);
  for (const { method, path, parameters, ...operation } of others) {
    for (const body of bodiesOf({ parameters, ...operation })) {
      const { status, text } = await send(method, path, parameters, body);
      expect([operation.operationId, [200, 201].includes(status) || text]).toEqual([
        operation.operationId,
        true,
      ]);
    }
  }
});

test('what reads is answered when nothing is sent but what is required', async () => {
  const reading = documented.filter(
    ({ path, method }) => method === 'get' && !path.endsWith('/export'),
  );
  expect(reading.length).toBeGreaterThan(20);
  for (const { method, path, parameters, operationId } of reading) {
    const required = parameters.filter((parameter) => parameter.required);
    const { status, text } = await send(method, path, required);
    expect([operationId, status === 200 || text]).toEqual([operationId, true]);
  }
});

test('the demo account has deals that took some days to close', async () => {
  const answer = await service.client.send({
    method: 'POST',
    path: '/graphql',
    headers: { authorization: `Bearer ${d.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      query:
        '{ deals_summary(account_id: 1, group_by: [STATUS], on: closed_at) { status count average_days_to_close } }',
    }),
  });
  expect(answer.body).toEqual({
    data: {
      deals_summary: expect.arrayContaining([
        { status: 'won', count: 1, average_days_to_close: expect.closeTo(21, 1) },
        { status: 'lost', count: 1, average_days_to_close: expect.closeTo(47, 1) },
      ]),
    },
  });
});
