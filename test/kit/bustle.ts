/** Everything that users of an account may do, at random and all at once. */
import { type Call, type Outcome, viaGraphql, viaRest } from '../parity/call.ts';
import type { World } from './world.ts';

type Below = (below: number) => number;

/** Ids of what was created, gone or not, by the operation that shows one. */
type Known = Map<string, number[]>;

interface Doing {
  readonly operation: string;
  readonly call: Call;
}

/** Ids of what is worked on; few of each, so that writers meet. */
class Ids {
  readonly #known: Known;
  readonly #below: Below;

  constructor(known: Known, below: Below) {
    this.#known = known;
    this.#below = below;
  }

  one(of: string): number {
    const ids = this.#known.get(of) ?? [];
    return ids[ids.length - 1 - this.#below(Math.min(ids.length, 12))] ?? 0;
  }
}

type Make = (ids: Ids, below: Below) => Doing;

const create =
  (
    operation: string,
    body: (ids: Ids, below: Below) => Call['body'],
    params?: (ids: Ids) => NonNullable<Call['params']>,
  ): Make =>
  (ids, below) => ({
    operation,
    call: { body: body(ids, below) ?? {}, ...(params && { params: params(ids) }) },
  });
const update =
  (of: string, body: (ids: Ids, below: Below) => Call['body']): Make =>
  (ids, below) => ({
    operation: `update_${of}`,
    call: { params: { id: ids.one(of) }, body: body(ids, below) ?? {} },
  });
const remove =
  (of: string): Make =>
  (ids) => ({ operation: `delete_${of}`, call: { params: { id: ids.one(of) } } });

const contact = (_: Ids, below: Below) => ({
  full_name: `Ana ${below(1e6)}`,
  email: `ana.${below(20)}@example.com`,
  label_list: ['a', 'b', 'c'].slice(below(3)),
  custom_attributes: { n: below(1e9), deep: { list: [1, null, 'é'] } },
});
const placed = (ids: Ids, below: Below) => ({
  stage_id: ids.one('stage'),
  ...(below(2) === 0 && { position: 1 + below(6) }),
});
const deal = (ids: Ids, below: Below) => ({
  ...placed(ids, below),
  name: `Deal ${below(1e6)}`,
  contact_id: ids.one('contact'),
});

/** What there is to do, the frequent more than once. */
const all: readonly Make[] = [
  ...Array<Make>(3).fill(
    create('create_contact', (ids, below) => ({ ...contact(ids, below), email: '' })),
  ),
  create('upsert_contact', contact),
  create('upsert_contact', contact),
  update('contact', contact),
  update('contact', (_, below) => ({ phone: `+55119${10_000_000 + below(89_999_999)}` })),
  remove('contact'),
  ...Array<Make>(4).fill(create('create_deal', deal)),
  create('upsert_deal', deal),
  ...Array<Make>(3).fill(update('deal', placed)),
  update('deal', (ids) => ({ contact_id: ids.one('contact') })),
  update('deal', (_, below) => ({ status: ['open', 'won', 'lost'][below(3)] })),
  remove('deal'),
  create('create_product', (_, below) => ({
    name: 'Chair',
    identifier: `CH-${below(1e9)}`,
    amount_in_cents: below(1e6),
  })),
  update('product', (_, below) => ({ amount_in_cents: below(1e6), quantity_available: below(9) })),
  remove('product'),
  ...Array<Make>(2).fill(
    create('create_deal_product', (ids, below) => ({
      deal_id: ids.one('deal'),
      product_id: ids.one('product'),
      quantity: 1 + below(5),
    })),
  ),
  update('deal_product', (_, below) => ({
    quantity: 1 + below(9),
    unit_amount_in_cents: below(1e5),
  })),
  remove('deal_product'),
  create('create_deal_assignee', (ids) => ({ deal_id: ids.one('deal'), user_id: ids.one('user') })),
  remove('deal_assignee'),
  create(
    'create_deal_event',
    () => ({ kind: 'note', title: 'Call' }),
    (ids) => ({ deal_id: ids.one('deal') }),
  ),
  create(
    'create_contact_event',
    () => ({ kind: 'note', title: 'Visit' }),
    (ids) => ({ contact_id: ids.one('contact') }),
  ),
  update('event', (_, below) => ({ title: `Call ${below(99)}` })),
  remove('event'),
  create('create_stage', (ids, below) => ({
    pipeline_id: ids.one('pipeline'),
    name: `Stage ${below(1e6)}`,
    position: 1 + below(3),
  })),
  update('stage', (_, below) => ({ position: 1 + below(4), name: `Stage ${below(1e6)}` })),
  remove('stage'),
  create('create_pipeline', (_, below) => ({ name: `Pipeline ${below(1e6)}` })),
  update('pipeline', (_, below) => ({ name: `Pipeline ${below(1e6)}` })),
  create('create_user', (_, below) => ({
    email: `user.${below(1e9)}@example.com`,
    password: 'correct horse',
    password_confirmation: 'correct horse',
  })),
  update('user', (_, below) => ({ full_name: `User ${below(99)}` })),
  (ids) => ({
    operation: 'delete_user',
    call: { params: { id: ids.one('user'), reassign_to: ids.one('user') } },
  }),
  create('update_account', (_, below) => ({ name: `Account ${below(99)}` })),
];

/** What becomes of many operations. */
export interface Bustle {
  /** How often each status came, and what broke off instead. */
  readonly statuses: Readonly<Record<string, number>>;
}

/**
 * Has writers do what they like until they are told to stop, through either door.
 * @param belows of each writer: given a number, an integer from 0 to below it
 */
export async function bustle(
  w: World,
  belows: readonly Below[],
  isOver: () => boolean,
): Promise<Bustle> {
  const known: Known = new Map([
    ['stage', [...w.stageIds, w.other.stageId]],
    ['pipeline', [w.pipelineId, w.other.pipelineId]],
    ['user', [w.member.id]],
  ]);
  const statuses: Record<string, number> = {};
  const count = (what: string) => {
    statuses[what] = (statuses[what] ?? 0) + 1;
  };
  const write = async (below: Below) => {
    const ids = new Ids(known, below);
    while (!isOver()) {
      const { operation, call } = (all[below(all.length)] ?? all[0])?.(ids, below) ?? {};
      if (!operation || !call) throw new Error('there is nothing to do');
      const via = below(2) === 0 ? viaRest : viaGraphql;
      const outcome = await via(w, w.admin.token, operation, call).catch((error: Error) => {
        count(error.message);
        return undefined;
      });
      if (!outcome) continue;
      count(String(outcome.status));
      note(known, operation, outcome);
    }
  };
  await Promise.all(belows.map(write));
  return { statuses };
}

function note(known: Known, operation: string, { status, data }: Outcome): void {
  const [, of] = /^(?:create|upsert)_(?:deal_|contact_)?(.+)$/.exec(operation) ?? [];
  const [, whole] = /^(?:create|upsert)_(.+)$/.exec(operation) ?? [];
  const name = whole === 'deal_event' || whole === 'contact_event' ? of : whole;
  if (status >= 300 || name === undefined) return;
  const { id }: { id?: unknown } = Object(data);
  if (typeof id === 'number') known.set(name, [...(known.get(name) ?? []), id]);
}
