/**
 * No name that a summary groups by or measures, and none that a list within a record is searched by, leads a token to
 * what it may not read: every name of up to two steps, with every read scope missing in turn.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isScope, type Scope } from '../../src/auth/scopes.ts';
import { kindOf, type ShapeName } from '../../src/db/sql/shape.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { isFollowed } from '../../src/search/attributes.ts';
import { Scoped } from '../kit/scoped.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
let scoped: Scoped;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  scoped = new Scoped(w);
});
afterAll(() => service.close());

/**
 * Whose records a scope is about, by what searches call the way there, or what follows from them: not by what the
 * service derives.
 */
const scopeOf = new Map<string, Scope>(
  Object.entries({
    'contacts:read': ['contacts', 'contact'],
    'deals:read': ['deals', 'deal', 'deal_products', 'deal_assignees'],
    'events:read': ['events', 'event', 'last_activity_at', 'next_step_at', 'has_next_step'],
    'pipelines:read': ['pipelines', 'pipeline', 'stages', 'stage'],
    'products:read': ['products', 'product'],
    'users:read': ['users', 'user', 'creator'],
  }).flatMap(([scope, names]) =>
    isScope(scope) ? names.map((name) => [name, scope] as const) : [],
  ),
);
const readScopes = [...new Set(scopeOf.values())];

/** Every name, with the scopes that it takes. Of one that may be read in two ways the shorter way counts. */
function namesOf(of: ShapeName): ReadonlyMap<string, ReadonlySet<Scope>> {
  const names = new Map<string, ReadonlySet<Scope>>();
  let level: readonly (readonly [shape: ShapeName, path: readonly string[]])[] = [[of, []]];
  while (level.length > 0) {
    for (const [at, path] of level) {
      const shape = shapes[at];
      for (const column of shape.searchable) {
        const needed = new Set([of, ...path, column].flatMap((step) => scopeOf.get(step) ?? []));
        const key = kindOf(shape, column) === 'json' ? '.key' : '';
        const name = [...path, column].join('_') + key;
        if (!names.has(name)) names.set(name, needed);
      }
    }
    level = level.flatMap(([at, path]) =>
      path.length === 2
        ? []
        : Object.entries(shapes[at].associations).flatMap(([step, way]) =>
            isFollowed(way, path.length === 0) ? [[way.to, [...path, step]] as const] : [],
          ),
    );
  }
  return names;
}

const isMoment = (name: string): boolean => /_at$/.test(name);

/** As many root fields as a document may have. */
const max = 20;

type Asked = readonly (readonly [field: string, needed: ReadonlySet<Scope>])[];

/** What a token without one scope is answered to each field, beside what it should be. */
async function expectRefusals(asked: Asked, missing: Scope): Promise<void> {
  const token = await scoped.token(...readScopes.filter((scope) => scope !== missing));
  for (let at = 0; at < asked.length; at += max) {
    const part = asked.slice(at, at + max);
    const fields = part.map(([field], n) => `f${n}: ${field}`);
    const { body, text } = await w
      .graphqlAs(token)
      .send<Record<string, unknown>>(`{ ${fields.join(' ')} }`);
    const refused = new Map(
      (body.errors ?? []).map(({ path, extensions }) => [path?.[0], extensions.errors]),
    );
    if (!body.data) throw new Error(text);
    const answers = part.map(([field], n) => [
      field,
      body.data?.[`f${n}`] == null,
      refused.get(`f${n}`) ?? null,
    ]);
    expect(answers).toEqual(
      part.map(([field, needed]) =>
        needed.has(missing)
          ? [field, true, [`The token lacks the scope ${missing}`]]
          : [field, false, null],
      ),
    );
  }
}

const subjects = [
  'contacts',
  'deals',
  'deal_products',
  'events',
  'products',
  'users',
] as const satisfies readonly ShapeName[];

describe.each(subjects)('a summary of %s', (of) => {
  const names = [...namesOf(of)];

  test.each(readScopes)(
    'refuses a token without %s all that lies there',
    async (missing) => {
      expect(names.length).toBeGreaterThan(30);
      const summary = (given: string, shown: string) =>
        `summary(account_id: ${w.accountId}, of: ${of.toUpperCase()}${given}) { ${shown} }`;
      await expectRefusals(
        names.flatMap(([name, needed]) => [
          [
            summary(`, by: ["${isMoment(name) ? `${name}.month` : name}"]`, 'count'),
            needed,
          ] as const,
          [summary('', `distinct(of: "${name}")`), needed] as const,
        ]),
        missing,
      );
    },
    120_000,
  );
});

describe.each([
  ['contact', 'contacts', 'deals'],
  ['contact', 'contacts', 'events'],
  ['deal', 'deals', 'deal_assignees'],
  ['deal', 'deals', 'deal_products'],
  ['deal', 'deals', 'events'],
  ['product', 'products', 'deal_products'],
  ['stage', 'stages', 'deals'],
] as const)('a %s, whose page shows %s: its %s', (one, many, list) => {
  test.each(readScopes)(
    'are not searched by a token without %s beyond it',
    async (missing) => {
      const id = {
        contact: (await w.contact()).id,
        deal: (await w.deal()).id,
        product: (await w.product()).id,
        stage: w.stageIds[0],
      }[one];
      const own = [many, list].flatMap((name) => scopeOf.get(name) ?? []);
      const all = readScopes.filter((scope) => scope !== missing);
      for (const [name, needed] of namesOf(list)) {
        const form = `query ($account_id: Integer!) { ${one}(account_id: $account_id, id: ${id}) {
        ${list}_count(query: {g: [{c: [{a: ["${name}"], p: "null", v: ["true"]}]}]}) } }`;
        const lacks = needed.has(missing) || own.includes(missing) ? [missing] : [];
        expect([name, await scoped.lacked(all, form)]).toEqual([name, lacks]);
      }
    },
    120_000,
  );
});
