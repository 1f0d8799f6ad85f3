/**
 * Random objects with equal keys and escapes in every JSON field, over REST and GraphQL, in variables
 * and literals: what is accepted is stored as the rule says, and is found, sorted and read afterwards.
 * SEED repeats a run, BODIES shortens it.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { GraphqlBody } from '../kit/graphql.ts';
import type { Answer } from '../kit/http.ts';
import { textsUnder } from '../kit/json_texts.ts';
import { type RandomJson, randomFrom, randomLiteral, randomObject } from '../kit/random_json.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const bodies = Number(process.env.BODIES ?? 100_000);
const inFlight = 32;
const perDocument = 10;

const resources = ['contacts', 'products', 'deals'] as const;
type Resource = (typeof resources)[number];

interface Kept {
  readonly id: number;
  readonly stored: string;
}

let service: Service;
let w: World;
let contactId: number;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  contactId = (await w.contact()).id;
});
afterAll(() => service.close());

const random = randomFrom(seed);
const pick = <T>(of: readonly [T, ...T[]]): T => of[Math.floor(random() * of.length)] ?? of[0];
const figures = { sent: 0, kept: 0, refused: 0, searches: 0 };

const refusal = 'has characters that cannot be stored';

/** What was kept and not yet read again. */
const unread: Record<Resource, Kept[]> = { contacts: [], products: [], deals: [] };

const required = (resource: Resource): Readonly<Record<string, number>> =>
  resource === 'deals' ? { contact_id: contactId, stage_id: pick(w.stageIds) } : {};

/** Members of a body: the attributes, sometimes after others under an equal key. */
function membersWith({ sent }: RandomJson, name = 'custom_attributes'): string {
  const earlier = randomObject(random, 0.2).sent;
  if (random() < 0.9) return `"${name}":${sent}`;
  return `"${name.replace('a', String.raw`\u0061`)}":${earlier},"${name}":${sent}`;
}

async function overRest(resource: Resource): Promise<void> {
  figures.sent += 1;
  const json = randomObject(random);
  const others = Object.entries(required(resource)).map(([key, value]) => `"${key}":${value},`);
  const path = resource === 'contacts' && random() < 0.3 ? '/contacts/upsert' : `/${resource}`;
  const answer = await w.rest.post<{ id: number }>(
    path,
    `{${others.join('')}${membersWith(json)}}`,
  );
  judge(resource, json, answer.status === 201 ? answer.body.id : undefined, answer);
  expect(answer.status).toBe(json.stored === undefined ? 422 : 201);
}

/** An update and an event, whose answers say what was stored. */
async function overwritten(): Promise<void> {
  const [own, more] = [randomObject(random), randomObject(random)];
  figures.sent += 2;
  const { id } = await w.product();
  const updated = await w.rest.put(`/products/${id}`, `{${membersWith(own)}}`);
  expect(updated.status).toBe(own.stored === undefined ? 422 : 200);
  const members = `${membersWith(own)},${membersWith(more, 'additional_attributes')}`;
  const event = await w.rest.post<{ id: number }>(
    `/contacts/${contactId}/events`,
    `{"kind":"note",${members}}`,
  );
  const storable = own.stored !== undefined && more.stored !== undefined;
  expect(event.status).toBe(storable ? 201 : 422);
  if (own.stored !== undefined) unread.products.push({ id, stored: own.stored });
  if (own.stored === undefined || more.stored === undefined) return;
  const { text } = await w.rest.get(`/events/${event.body.id}`);
  expect(textsUnder(text, 'custom_attributes', 1)).toEqual([own.stored]);
  expect(textsUnder(text, 'additional_attributes', 1)).toEqual([more.stored]);
}

/** How a document gives an object, and what is stored when the variable `$v` holds it. */
const ways = [
  { given: (v: string) => v, stored: (s: string) => s },
  {
    given: (v: string) => `{ x: ${v}, l: [${v}, { y: ${v} }] }`,
    stored: (s: string) => `{"x":${s},"l":[${s},{"y":${s}}]}`,
  },
] as const;

/** Several mutations in a document: those that can be stored together, each other one alone. */
async function overVariables(resource: Resource): Promise<void> {
  const objects = Array.from({ length: perDocument }, () => randomObject(random));
  const way = pick(ways);
  const storable = objects.filter(({ stored }) => stored !== undefined);
  const groups = [
    storable,
    ...objects.filter((each) => !storable.includes(each)).map((each) => [each]),
  ];
  for (const group of groups.filter(({ length }) => length > 0)) {
    figures.sent += group.length;
    const names = group.map((_, at) => `$v${at}`);
    const answer = await mutate(resource, names.map(way.given), {
      declared: `(${names.map((name) => `${name}: JSONObject`).join()})`,
      variables: `{${group.map(({ sent }, at) => `"v${at}":${sent}`).join()}}`,
    });
    for (const [at, { sent, stored }] of group.entries()) {
      const wanted = stored === undefined ? undefined : way.stored(stored);
      judge(resource, { sent, stored: wanted }, answer.body.data?.[`m${at}`]?.id, answer);
    }
  }
}

async function overLiterals(resource: Resource): Promise<void> {
  figures.sent += 1;
  const json = randomLiteral(random);
  const answer = await mutate(resource, [json.sent], { declared: '', variables: '{}' });
  judge(resource, json, answer.body.data?.m0?.id, answer);
}

type Created = Readonly<Record<string, { readonly id: number }>>;

function mutate(
  resource: Resource,
  given: readonly string[],
  { declared, variables }: { readonly declared: string; readonly variables: string },
): Promise<Answer<GraphqlBody<Created>>> {
  const others = Object.entries(required(resource)).map(([key, value]) => `${key}: ${value}, `);
  const fields = given.map(
    (value, at) =>
      `m${at}: create_${resource.slice(0, -1)}(account_id: ${w.accountId}, input: { ${others.join('')}custom_attributes: ${value} }) { id }`,
  );
  return w.graphql.send<Created>(`mutation ${declared} { ${fields.join(' ')} }`, variables);
}

/** It was kept, or refused, as the rule says. */
function judge(
  resource: Resource,
  { sent, stored }: RandomJson,
  id: number | undefined,
  { status, text }: Answer,
): void {
  if (stored !== undefined && id !== undefined) {
    figures.kept += 1;
    unread[resource].push({ id, stored });
    return;
  }
  figures.refused += 1;
  const isRight = stored === undefined && id === undefined && status < 500;
  expect({ sent, stored, told: isRight && text.includes(refusal) ? refusal : text }).toEqual({
    sent,
    stored: undefined,
    told: refusal,
  });
}

const searched = ['a', 'b', 'city', '1', '10', '__proto__', 'constructor', '"', 'é', '😀', 'x'];

/** Reads a page of what was kept, asks for some of it by a key, and sorts it. */
async function readBack(resource: Resource): Promise<void> {
  const kept = unread[resource].splice(0, 100).sort((one, other) => one.id - other.id);
  if (kept.length === 0) return;
  figures.searches += 1;
  const ids = { id_in: kept.map(({ id }) => id) };
  const search = (query: Readonly<Record<string, unknown>>) =>
    w.rest.post<{ data: { id: number }[] }>(`/${resource}/search`, { query, per_page: 100 });
  const all = await search({ ...ids, s: 'id asc' });
  expect(textsUnder(all.text, 'custom_attributes', 3)).toEqual(kept.map(({ stored }) => stored));
  const key = pick(['a', ...searched]);
  const having = await search({ ...ids, [`custom_attributes.${key}_null`]: false, s: 'id asc' });
  expect(having.status).toBe(200);
  expect(having.body.data.map(({ id }) => id)).toEqual(
    kept.filter(({ stored }) => has(JSON.parse(stored), key)).map(({ id }) => id),
  );
  // Now and then over everything of the account, where no record may stand in the way.
  if (random() < 0.8) return;
  const text = pick(['x', 'Lisbon', '1.0', '12345678901234567890', '%', '\\']);
  const sort = pick(['created_at desc', 'updated_at', 'id desc']);
  const found = await search({ [`custom_attributes.${key}_cont`]: text, s: sort });
  expect(found.status).toBe(200);
}

const has = (value: object, key: string): boolean =>
  Object.hasOwn(value, key) && Reflect.get(value, key) !== null;

async function worker(): Promise<void> {
  while (figures.sent < bodies) {
    const resource = pick<Resource>(['contacts', 'products', 'contacts', 'products', 'deals']);
    const kind = random();
    if (kind < 0.7) await overRest(resource);
    else if (kind < 0.75) await overwritten();
    else if (kind < 0.82) await overVariables(resource);
    else await overLiterals(resource);
    if (unread[resource].length >= 100) await readBack(resource);
  }
}

test(`${bodies} random objects of seed ${seed} are stored as checked and never in the way`, async () => {
  process.stderr.write(`SEED=${seed}\n`);
  await Promise.all(Array.from({ length: inFlight }, worker));
  for (const resource of resources) while (unread[resource].length > 0) await readBack(resource);
  process.stderr.write(`${JSON.stringify(figures)}\n`);
  expect(service.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
}, 900_000);
