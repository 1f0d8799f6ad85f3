/** A batch comes to the same as its records sent one after the other. */
import { describe, expect, test } from '@jest/globals';
import { isJsonObject } from '../../src/json/json.ts';
import { Random } from '../fuzz/random.ts';
import { sendBatch } from '../kit/batch.ts';
import type { ErrorBody } from '../kit/records.ts';
import { sharedService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';
import { followed } from '../undo/revert.ts';
import { type Kind, Names } from './one_by_one.ts';

const service = await sharedService();

const seed = Number(process.env['BATCH_SEED'] ?? Date.now() % 2 ** 31);

/** Batches of each kind. */
const runs = Number(process.env['BATCH_RUNS'] ?? 1);
const recordsEach = 20;

type Operation = 'create' | 'upsert' | 'update' | 'delete';

/** Ids by the names of their records, in one account. */
type Ids = ReadonlyMap<string, number>;

/** A record as it is to be sent: what stands for an id is a name. */
type Draft = Readonly<Record<string, unknown>>;

const isName = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^(contacts|deals|products|deal_products|events|stages) /.test(value);

const withIds = (draft: Draft, ids: Ids): Draft =>
  Object.fromEntries(
    Object.entries(draft).map(([name, value]) => {
      if (isName(value)) return [name, ids.get(value) ?? 999_999_999];
      return [name, isJsonObject(value) ? withIds(value, ids) : value];
    }),
  );

/** One account, and what was sent to it. */
class Side {
  readonly w: World;
  readonly ids = new Map<string, number>();
  readonly #names: Names;

  constructor(w: World) {
    this.w = w;
    this.#names = new Names(w);
    for (const [n, id] of w.stageIds.entries()) this.ids.set(`stages ${n}`, id);
  }

  told(kind: Kind, name: string, result: { id: number | null } & Draft): unknown {
    if (result.id) {
      const known = this.#names.give(kind, result.id, name);
      this.ids.set(known, result.id);
    }
    return this.#names.in(result, kind);
  }

  state = (): Promise<unknown> => this.#names.state();

  async alone(
    kind: Kind,
    operation: Operation,
    draft: Draft,
  ): Promise<{ id: number | null } & Draft> {
    const { id, ...fields } = withIds(draft, this.ids);
    const { rest } = this.w;
    const path = `/${kind}`;
    const eventPath = fields['deal_id']
      ? `/deals/${fields['deal_id']}`
      : `/contacts/${fields['contact_id']}`;
    const calls = {
      create: () => rest.post<One>(kind === 'events' ? `${eventPath}/events` : path, fields),
      upsert: () => rest.post<One>(`${path}/upsert`, fields),
      update: () => rest.put<One>(`${path}/${id}`, fields),
      delete: () => rest.delete<One>(`${path}/${id}`),
    };
    const { status, body } = await calls[operation]();
    if (status < 300) return { status, id: body?.id ?? Number(id) };
    const { errors, code, fields: faults, codes, conflict } = body ?? {};
    return {
      status,
      id: null,
      ...{ errors, code },
      ...(faults && { fields: faults, codes }),
      ...(conflict && { conflict }),
    };
  }

  async together(kind: Kind, operation: Operation, drafts: readonly Draft[]) {
    const records = drafts.map((draft) => withIds(draft, this.ids));
    const { status, body } = await sendBatch(this.w.rest, kind, operation, records);
    expect(status).toBe(200);
    return body.results;
  }
}

type One = ErrorBody & { readonly id: number; readonly conflict?: Draft };

const emails = ['a@example.com', ' B@Example.com', 'c@example.com', 'd@example.com', '', null, 'x'];
const phones = ['+14155550101', '0014155550102', '+14155550103', '', null, []];

/** Random records; `known` are names of those that there are, and deals may want a place of their own. */
class Drafts {
  readonly #random: Random;
  readonly #known: (kind: Kind) => readonly string[];
  readonly #isPlaced: boolean;

  constructor(random: Random, known: (kind: Kind) => readonly string[], isPlaced: boolean) {
    this.#random = random;
    this.#known = known;
    this.#isPlaced = isPlaced;
  }

  of(kind: Kind, operation: Operation): Draft {
    const id = this.#random.chance(0.9) ? this.#name(kind) : 'nonsense';
    if (operation === 'delete') return { id };
    const fields = this[kind]();
    if (operation === 'upsert' && kind === 'deals') return { ...fields, ...this.#contact() };
    return operation === 'update' ? { ...this.#some(fields), id } : fields;
  }

  #name = (kind: Kind): string => this.#random.pick([...this.#known(kind), `${kind} of nobody`]);

  #contact(): Draft {
    if (this.#random.chance(0.5)) return {};
    const id = this.#name('contacts');
    return { contact_attributes: this.#random.chance(0.2) ? { id } : this.contacts() };
  }

  #some = (fields: Draft): Draft =>
    Object.fromEntries(Object.entries(fields).filter(() => this.#random.chance(0.6)));

  contacts = (): Draft =>
    this.#some({
      full_name: this.#random.pick(['Ana', 'Bea', 'Caio', 7, {}]),
      email: this.#random.pick(emails),
      phone: this.#random.pick(phones),
      label_list: this.#random.pick(['vip, new', ['x'], null]),
      custom_attributes: this.#random.pick([{ b: 1, a: [1.0] }, {}, null, { b: 1, a: [1.0] }]),
    });

  deals = (): Draft => ({
    stage_id: this.#random.pick(['stages 0', 'stages 1', 'stages of nobody']),
    contact_id: this.#name('contacts'),
    ...this.#some({
      name: this.#random.pick(['A', 'B', 5, []]),
      status: this.#random.pick(['open', 'won', 'lost', 'x']),
      ...(this.#isPlaced && { position: this.#random.pick([1, 2, 5, null]) }),
      lost_reason: this.#random.pick(['dear', '']),
    }),
  });

  products = (): Draft =>
    this.#some({
      name: this.#random.pick(['Chair', 'Table', {}]),
      amount_in_cents: this.#random.pick([100, '250', -1, null]),
      custom_attributes: this.#random.pick([{ z: 1 }, {}, []]),
    });

  deal_products = (): Draft => ({
    deal_id: this.#name('deals'),
    product_id: this.#name('products'),
    ...this.#some({ quantity: this.#random.pick([1, 3, 0]), product_name: 'Own' }),
  });

  events = (): Draft => ({
    kind: this.#random.pick(['note', 'activity', 'deal_won']),
    [this.#random.chance(0.5) ? 'deal_id' : 'contact_id']: this.#random.chance(0.5)
      ? this.#name('deals')
      : 'contacts of nobody',
    ...this.#some({ title: 'T', done: this.#random.pick([true, false, 'x']) }),
  });
}

const operations: Readonly<Record<Kind, readonly Operation[]>> = {
  contacts: ['create', 'upsert', 'upsert', 'update', 'delete'],
  deals: ['create', 'upsert', 'update', 'delete'],
  products: ['create', 'update', 'delete'],
  deal_products: ['create', 'update', 'delete'],
  events: ['create', 'update', 'delete'],
};

/** Names of what each kind has at the beginning. */
async function begin(side: Side): Promise<void> {
  const { w } = side;
  for (const n of [0, 1, 2]) {
    const contact = await w.contact({ email: ['a@example.com', '', 'c@example.com'][n] });
    side.told('contacts', `contacts ${n}`, { id: contact.id });
    const deal = await w.deal({ contact_id: contact.id, name: `D${n}` });
    side.told('deals', `deals ${n}`, { id: deal.id });
    const product = await w.product({ name: `P${n}`, amount_in_cents: 100 * n });
    side.told('products', `products ${n}`, { id: product.id });
    const attached = await w.dealProduct({ deal_id: deal.id, product_id: product.id });
    side.told('deal_products', `deal_products ${n}`, { id: attached.id });
    const { body } = await w.rest.post<{ id: number }>(`/deals/${deal.id}/events`, {
      kind: 'note',
    });
    side.told('events', `events ${n}`, { id: body.id });
  }
}

describe('a batch', () => {
  test.each(Object.entries(operations))(`of %s (BATCH_SEED=${seed})`, async (name, verbs) => {
    const kind = Object.keys(operations).find((each): each is Kind => each === name) ?? 'contacts';
    const random = new Random(seed);
    const [one, other] = [new Side(await world(service)), new Side(await world(service))];
    await Promise.all([begin(one), begin(other)]);
    const send = async (run: number) => {
      for (const operation of new Set(verbs)) {
        const known = (of: Kind) => [...one.ids.keys()].filter((each) => each.startsWith(`${of} `));
        const count = operation === 'delete' ? 5 : recordsEach;
        const isPlaced = random.chance(0.5);
        const drafts = Array.from({ length: count }, () =>
          new Drafts(random, known, isPlaced).of(kind, operation),
        );
        const alone: unknown[] = [];
        for (const [at, draft] of drafts.entries()) {
          const result = await one.alone(kind, operation, draft);
          alone.push(one.told(kind, `${kind} ${run}.${operation}.${at}`, { index: at, ...result }));
        }
        const results = await other.together(kind, operation, drafts);
        const together = results.map((result, at) =>
          other.told(kind, `${kind} ${run}.${operation}.${at}`, { ...result }),
        );
        expect({ drafts, results: together }).toEqual({ drafts, results: alone });
        expect(await other.state()).toEqual(await one.state());
      }
    };
    // The trail says where each deal stood when.
    await followed(other.w, async () => {
      for (let run = 0; run < runs; run += 1) await send(run);
    });
  });
});
