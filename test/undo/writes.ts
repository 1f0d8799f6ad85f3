/** Random writes of everything that can be taken back, by either writer. */
import type { Random } from '../fuzz/random.ts';
import type { Answer } from '../kit/http.ts';
import type { Rest } from '../kit/rest.ts';
import type { World } from '../kit/world.ts';
import { importRows } from './import.ts';

type Body = Readonly<Record<string, unknown>>;

/** What a write was answered; a batch, for each of its records. */
interface Outcome {
  readonly status: number;
  readonly body: {
    readonly id: number;
    readonly results?: readonly { readonly status: number; readonly id: number }[];
  };
  readonly text: string;
  readonly asked: unknown;
}

/** Who writes: over REST, or by another door that takes the same. */
export interface Writer {
  /** Over which files are imported, whatever the door. */
  readonly rest: Rest;
  post(path: string, body: Body): Promise<Outcome>;
  put(path: string, body: Body): Promise<Outcome>;
  delete(path: string): Promise<Outcome>;
}

export const overRest = (rest: Rest): Writer => ({
  rest,
  post: (path, body) => rest.post(path, body),
  put: (path, body) => rest.put(path, body),
  delete: (path) => rest.delete(path),
});

type Table =
  | 'contacts'
  | 'deals'
  | 'products'
  | 'deal_products'
  | 'deal_assignees'
  | 'events'
  | 'stages'
  | 'pipelines';

/** What a writer leaves alone. */
export interface Restraint {
  /** Others' writes that shift the positions of deals. */
  readonly keepsOrder: boolean;
}

export class Writes {
  readonly #random: Random;
  readonly #ids: Record<Table, number[]>;
  readonly #users: readonly number[];
  /** How often each status was answered. */
  readonly statuses = new Map<number, number>();

  constructor(w: World, random: Random) {
    this.#random = random;
    this.#users = [w.admin.id, w.member.id];
    this.#ids = {
      ...{
        contacts: [],
        deals: [],
        products: [],
        deal_products: [],
        deal_assignees: [],
        events: [],
      },
      stages: [...w.stageIds, w.other.stageId],
      pipelines: [w.pipelineId, w.other.pipelineId],
    };
  }

  /** Some of each kind to begin with. */
  async begin(by: Writer): Promise<void> {
    for (let at = 0; at < 8; at += 1) await this.#contact(by);
    for (let at = 0; at < 3; at += 1)
      await this.#create(by, 'products', '/products', this.#product());
    for (let at = 0; at < 10; at += 1) await this.#create(by, 'deals', '/deals', this.#deal(false));
    for (let at = 0; at < 6; at += 1) await this.#note(by);
    for (let at = 0; at < 4; at += 1) await this.#line(by);
  }

  /** @throws {Error} when the service is at fault */
  async write(by: Writer, { keepsOrder }: Restraint): Promise<void> {
    const writes = keepsOrder ? ordered.filter((one) => !takesDeals.includes(one)) : every;
    await this.#does[this.#random.pick(writes)](by);
  }

  readonly #does = {
    contact: (by: Writer) => this.#contact(by),
    changeContact: (by: Writer) => this.#put(by, 'contacts', this.#person()),
    removeContact: (by: Writer) => this.#remove(by, 'contacts'),
    mergeContacts: (by: Writer) => this.#merge(by),
    batchContacts: (by: Writer) =>
      this.#batch(by, 'contacts', () =>
        this.#random.among<readonly [string, Body]>([
          [2, () => ['create', this.#person()]],
          [2, () => ['upsert', { ...this.#person(), email: this.#email() }]],
          [2, () => ['update', { id: this.#id('contacts'), ...this.#person() }]],
          [1, () => ['delete', { id: this.#id('contacts') }]],
        ]),
      ),
    batchDeals: (by: Writer) =>
      this.#batch(by, 'deals', () =>
        this.#random.among<readonly [string, Body]>([
          [2, () => ['create', this.#deal(true)]],
          [2, () => ['update', { id: this.#id('deals'), ...this.#change() }]],
          [2, () => ['update', { id: this.#id('deals'), ...this.#move() }]],
          [1, () => ['delete', { id: this.#id('deals') }]],
        ]),
      ),
    batchNotes: (by: Writer) =>
      this.#batch(by, 'events', () =>
        this.#random.among<readonly [string, Body]>([
          [
            2,
            () => [
              'create',
              { contact_id: this.#id('contacts'), kind: 'note', content: this.#text() },
            ],
          ],
          [1, () => ['update', { id: this.#id('events'), content: this.#text() }]],
          [1, () => ['delete', { id: this.#id('events') }]],
        ]),
      ),
    importContacts: (by: Writer) =>
      this.#import(by, 'contacts', ['Name', 'E-mail', 'Tags', 'custom_attributes.city'], () => [
        this.#text(),
        this.#random.chance(0.3) ? '' : this.#email(),
        this.#random.chance(0.5) ? 'a; imported' : '',
        this.#random.chance(0.5) ? this.#text() : '',
      ]),
    importDeals: (by: Writer) =>
      this.#import(by, 'deals', ['name', 'stage_id', 'contact.email', 'position'], () => [
        this.#text(),
        String(this.#id('stages')),
        this.#email(),
        this.#random.chance(0.7) ? '' : String(this.#random.between(1, 12)),
      ]),
    deal: (by: Writer) => this.#create(by, 'deals', '/deals', this.#deal(true)),
    changeDeal: (by: Writer) => this.#put(by, 'deals', this.#change()),
    moveDeal: (by: Writer) => this.#put(by, 'deals', this.#move()),
    removeDeal: (by: Writer) => this.#remove(by, 'deals'),
    line: (by: Writer) => this.#line(by),
    changeLine: (by: Writer) =>
      this.#put(by, 'deal_products', {
        ...this.#some({ quantity: this.#random.between(1, 9), product_name: this.#text() }),
        ...this.#some({ unit_amount_in_cents: this.#random.below(1000) }),
      }),
    removeLine: (by: Writer) => this.#remove(by, 'deal_products'),
    assignee: (by: Writer) =>
      this.#create(by, 'deal_assignees', '/deal_assignees', {
        deal_id: this.#id('deals'),
        user_id: this.#random.pick(this.#users),
      }),
    removeAssignee: (by: Writer) => this.#remove(by, 'deal_assignees'),
    product: (by: Writer) => this.#create(by, 'products', '/products', this.#product()),
    changeProduct: (by: Writer) => this.#put(by, 'products', this.#some(this.#product())),
    removeProduct: (by: Writer) => this.#remove(by, 'products'),
    note: (by: Writer) => this.#note(by),
    changeNote: (by: Writer) =>
      this.#put(
        by,
        'events',
        this.#some({ content: this.#text(), title: this.#text(), done: true }),
      ),
    removeNote: (by: Writer) => this.#remove(by, 'events'),
    stage: (by: Writer) =>
      this.#create(by, 'stages', '/stages', {
        ...{ name: this.#text(), pipeline_id: this.#id('pipelines') },
        ...this.#some({ position: this.#random.between(1, 5) }),
      }),
    changeStage: (by: Writer) =>
      this.#put(
        by,
        'stages',
        this.#some({ name: this.#text(), position: this.#random.between(1, 5) }),
      ),
    removeStage: (by: Writer) => this.#remove(by, 'stages'),
    pipeline: (by: Writer) => this.#create(by, 'pipelines', '/pipelines', { name: this.#text() }),
    changePipeline: (by: Writer) => this.#put(by, 'pipelines', { name: this.#text() }),
  };

  #id(table: Table): number {
    const ids = this.#ids[table];
    return ids.length > 0 ? this.#random.pick(ids) : 999_999_999;
  }

  #text = (): string => `text ${this.#random.below(1000)}`;

  /** Each of these fields, or not. */
  #some(fields: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(fields).filter(() => this.#random.chance(0.6)));
  }

  /** They are few, so that they change hands. */
  #email = (): string => `p${this.#random.below(25)}@example.com`;

  #person = (): Record<string, unknown> =>
    this.#some({
      full_name: this.#text(),
      email: this.#random.chance(0.3) ? '' : this.#email(),
      label_list: this.#random.chance(0.5) ? ['a', this.#text()] : [],
      custom_attributes: { b: this.#random.below(9), a: [null, this.#text()] },
    });

  #product = () => ({
    name: this.#text(),
    amount_in_cents: this.#random.below(10_000),
    custom_attributes: { z: this.#random.below(9) },
  });

  #deal = (placed: boolean): Record<string, unknown> => ({
    ...{ name: this.#text(), contact_id: this.#id('contacts'), stage_id: this.#id('stages') },
    ...(placed ? this.#some({ position: this.#random.between(1, 12), status: 'won' }) : {}),
  });

  #change = (): Record<string, unknown> =>
    this.#some({
      name: this.#text(),
      status: this.#random.pick(['open', 'won', 'lost']),
      lost_reason: this.#text(),
      contact_id: this.#id('contacts'),
      custom_attributes: { a: this.#text() },
    });

  #move = (): Record<string, unknown> =>
    this.#random.chance(0.5)
      ? { position: this.#random.between(1, 12) }
      : { stage_id: this.#id('stages'), ...this.#some({ position: this.#random.between(1, 12) }) };

  #contact = (by: Writer) => this.#create(by, 'contacts', '/contacts', this.#person());

  #line = (by: Writer) =>
    this.#create(by, 'deal_products', '/deal_products', {
      ...{ deal_id: this.#id('deals'), product_id: this.#id('products') },
      quantity: this.#random.between(1, 5),
    });

  #note(by: Writer): Promise<void> {
    const [table, of] = this.#random.pick([
      ['contacts', this.#id('contacts')],
      ['deals', this.#id('deals')],
    ] as const);
    return this.#create(by, 'events', `/${table}/${of}/events`, {
      kind: 'note',
      content: this.#text(),
    });
  }

  async #create(by: Writer, table: Table, path: string, body: Body): Promise<void> {
    const answer = await this.#sent(by.post(path, body));
    if (answer.status === 201) this.#ids[table].push(answer.body.id);
  }

  async #put(by: Writer, table: Table, body: Body): Promise<void> {
    await this.#sent(by.put(`/${table}/${this.#id(table)}`, body));
  }

  /** Seldom, so that something is left. */
  async #remove(by: Writer, table: Table): Promise<void> {
    if (this.#random.chance(0.6)) return;
    const id = this.#id(table);
    const { status } = await this.#sent(by.delete(`/${table}/${id}`));
    if (status === 204) this.#forget(table, [id]);
  }

  async #merge(by: Writer): Promise<void> {
    if (this.#random.chance(0.5)) return;
    const from = Array.from({ length: this.#random.between(1, 2) }, () => this.#id('contacts'));
    const { status } = await this.#sent(
      by.post(`/contacts/${this.#id('contacts')}/merge`, {
        ...{ from, prefer: this.#some({ email: from[0], full_name: from[0] }) },
      }),
    );
    if (status === 200) this.#forget('contacts', from);
  }

  /** A batch, as clients and imports send it: of one kind of writes, each record for itself or all of them or none. */
  async #batch(by: Writer, table: Table, next: () => readonly [string, Body]): Promise<void> {
    const [operation, first] = next();
    const records = [first];
    for (let left = this.#random.below(6); left > 0; left -= 1) {
      const [another, record] = next();
      if (another === operation) records.push(record);
    }
    const { status, body } = await this.#sent(
      by.post(`/${table}/batch`, {
        ...{ operation, records, atomic: this.#random.chance(0.3) },
      }),
    );
    const { results } = body;
    if (status !== 200 || !results) return;
    this.#remember(table, results);
    const gone = results.filter(({ status: one }) => one === 204).map(({ id }) => id);
    this.#forget(table, gone);
  }

  /** A file of some rows, as the contacts and deals of another system: new ones, or upserts. */
  async #import(
    by: Writer,
    records: 'contacts' | 'deals',
    header: readonly string[],
    row: () => readonly string[],
  ): Promise<void> {
    const rows = Array.from({ length: this.#random.between(1, 7) }, row);
    const operation = this.#random.pick(['create', 'upsert'] as const);
    const results = await importRows(by.rest, { records, operation }, [header, ...rows], (answer) =>
      this.#count(answer),
    );
    this.#remember(records, results);
  }

  #remember(table: Table, results: readonly { status: number; id: number | null }[]): void {
    for (const { status, id } of results) {
      if (status === 201 && id !== null) this.#ids[table].push(id);
    }
  }

  #forget(table: Table, gone: readonly number[]): void {
    this.#ids[table] = this.#ids[table].filter((one) => !gone.includes(one));
  }

  async #sent(asked: Promise<Outcome>): Promise<Outcome> {
    const answer = await asked;
    this.#count(answer);
    return answer;
  }

  #count({ status, asked, text }: Pick<Answer, 'status' | 'text'> & { asked: unknown }): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status >= 500) throw new Error(`${JSON.stringify(asked)}: ${text}`);
  }
}

/** Writes that leave the order of deals to others, each as often as it stands here. */
const ordered = [
  ...(['contact', 'changeContact', 'changeContact', 'changeContact', 'removeContact'] as const),
  ...(['changeDeal', 'changeDeal', 'changeDeal'] as const),
  ...(['line', 'changeLine', 'changeLine', 'removeLine'] as const),
  ...(['assignee', 'removeAssignee'] as const),
  ...(['product', 'changeProduct', 'changeProduct', 'removeProduct'] as const),
  ...(['note', 'changeNote', 'changeNote', 'removeNote'] as const),
  ...(['mergeContacts', 'batchContacts', 'batchNotes', 'importContacts'] as const),
] as const;

/** Those among them that may take deals with them. */
const takesDeals: readonly string[] = ['removeContact', 'batchContacts'];

/** The others, which shift positions, too. */
const shifting = [
  ...(['deal', 'deal', 'moveDeal', 'moveDeal', 'moveDeal', 'moveDeal', 'removeDeal'] as const),
  ...([
    'batchDeals',
    'importDeals',
    'stage',
    'changeStage',
    'removeStage',
    'pipeline',
    'changePipeline',
  ] as const),
] as const;

const every = [...ordered, ...shifting] as const;
