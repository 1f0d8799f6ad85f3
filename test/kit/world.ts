/** One account with what a test needs to begin, unlike any other: tests never clean up. */
import { randomUUID } from 'node:crypto';
import { Graphql } from './graphql.ts';
import type { Answer } from './http.ts';
import type {
  Contact,
  Deal,
  Event,
  FetchedContact,
  FetchedDeal,
  FetchedDealProduct,
  FetchedProduct,
  IssuedWebhook,
  Product,
  User,
} from './records.ts';
import { type Body, Rest } from './rest.ts';
import type { Service } from './service.ts';
import { type Holder, issue } from './tokens.ts';
import './to_answer.ts';

export interface Member extends Holder {
  readonly email: string;
  readonly token: string;
}

export type Input = Readonly<Record<string, unknown>>;

/** A service in this process or in one of its own. */
export type Reachable = Pick<Service, 'client' | 'database'>;

export class World {
  readonly service: Reachable;
  readonly accountId: number;
  readonly admin: Member;
  readonly member: Member;
  readonly pipelineId: number;
  /** The stages New, Talks and Offer, in order. */
  readonly stageIds: readonly [number, number, number];
  /** A second pipeline, with the one stage Lead. */
  readonly other: { readonly pipelineId: number; readonly stageId: number };
  /** What an integrator of the account uses: the admin's token. */
  readonly rest: Rest;
  readonly graphql: Graphql;

  constructor(service: Reachable, row: WorldRow, tokens: { admin: string; member: string }) {
    this.service = service;
    this.accountId = row.account_id;
    this.admin = {
      id: row.admin_id,
      account_id: row.account_id,
      email: row.admin_email,
      token: tokens.admin,
    };
    this.member = {
      id: row.member_id,
      account_id: row.account_id,
      email: row.member_email,
      token: tokens.member,
    };
    this.pipelineId = row.pipeline_id;
    this.stageIds = [row.stage_1, row.stage_2, row.stage_3];
    this.other = { pipelineId: row.other_pipeline_id, stageId: row.other_stage_id };
    this.rest = this.restAs(tokens.admin);
    this.graphql = new Graphql(service.client, tokens.admin);
  }

  restAs(token: string | undefined): Rest {
    return new Rest(this.service.client, this.accountId, token);
  }

  graphqlAs(token: string | undefined): Graphql {
    return new Graphql(this.service.client, token);
  }

  /** Creates a contact through the service. */
  contact(fields: Body = {}): Promise<Contact> {
    return created(this.rest.post<Contact>('/contacts', fields));
  }

  /** Creates a deal at the first stage, of a new contact, unless the fields say otherwise. */
  async deal(fields: Input = {}): Promise<Deal> {
    const contactId = fields.contact_id ?? (await this.contact()).id;
    const deal = { stage_id: this.stageIds[0], ...fields, contact_id: contactId };
    return created(this.rest.post<Deal>('/deals', deal));
  }

  product(fields: Body = {}): Promise<Product> {
    return created(this.rest.post<Product>('/products', fields));
  }

  /** Attaches a product to a deal, both new unless they are named. */
  async dealProduct(fields: Input = {}): Promise<FetchedDealProduct> {
    const dealId = fields.deal_id ?? (await this.deal()).id;
    const productId = fields.product_id ?? (await this.product()).id;
    const body = { ...fields, deal_id: dealId, product_id: productId };
    return created(this.rest.post<FetchedDealProduct>('/deal_products', body));
  }

  user(fields: Input = {}): Promise<User> {
    const password = 'correct horse';
    const body = { email: unique('user'), password, password_confirmation: password, ...fields };
    return created(this.rest.post<User>('/users', body));
  }

  /** Has changes sent to a receiver that nobody can find, unless the fields say otherwise. */
  webhook(fields: Input = {}): Promise<IssuedWebhook> {
    const body = { url: 'https://receiver.invalid/changes', events: ['*'], ...fields };
    return created(this.rest.post<IssuedWebhook>('/webhooks', body));
  }

  fetchContact(id: number): Promise<FetchedContact> {
    return found(this.rest.get<FetchedContact>(`/contacts/${id}`));
  }

  fetchDeal(id: number): Promise<FetchedDeal> {
    return found(this.rest.get<FetchedDeal>(`/deals/${id}`));
  }

  fetchProduct(id: number): Promise<FetchedProduct> {
    return found(this.rest.get<FetchedProduct>(`/products/${id}`));
  }

  fetchDealProduct(id: number): Promise<FetchedDealProduct> {
    return found(this.rest.get<FetchedDealProduct>(`/deal_products/${id}`));
  }

  /** Changes a deal, which must succeed. */
  updateDeal(id: number, fields: Body): Promise<Deal> {
    return found(this.rest.put<Deal>(`/deals/${id}`, fields));
  }

  /** Events of a deal, in the order they were written. */
  async eventsOf(deal: Pick<Deal, 'id' | 'contact_id'>): Promise<readonly Event[]> {
    const { events } = await this.fetchContact(deal.contact_id);
    return events.filter((event) => event.deal_id === deal.id);
  }

  /** Ids and positions of a stage's deals, in their order, as the service shows them. */
  async board(stageId: number): Promise<{ readonly ids: number[]; readonly positions: number[] }> {
    const rows: Deal[] = [];
    const search = { query: { stage_id_eq: stageId, s: 'position' }, per_page: 100 };
    for (let page = 1; rows.length === (page - 1) * 100; page++) {
      const { data } = await found(
        this.rest.post<{ data: Deal[] }>('/deals/search', { ...search, page }),
      );
      rows.push(...data);
    }
    return { ids: rows.map((row) => row.id), positions: rows.map((row) => row.position) };
  }

  /** How many records of a table the account has. */
  async count(table: string): Promise<number> {
    const [row] = await this.service.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM ${table} WHERE account_id = $1`,
      [this.accountId],
    );
    return row?.count ?? 0;
  }
}

async function succeeded<T>(answer: Promise<Answer<T>>, status: number): Promise<T> {
  const { status: given, body, text, asked } = await answer;
  if (given === status) return body;
  throw new Error(`${asked.method} ${asked.path} ${asked.body} was answered ${given} ${text}`);
}

const created = <T>(answer: Promise<Answer<T>>) => succeeded(answer, 201);
const found = <T>(answer: Promise<Answer<T>>) => succeeded(answer, 200);

/** An e-mail address that nobody has. */
export const unique = (name: string) => `${name}.${randomUUID().slice(0, 13)}@example.com`;

interface WorldRow {
  readonly account_id: number;
  readonly admin_id: number;
  readonly admin_email: string;
  readonly member_id: number;
  readonly member_email: string;
  readonly pipeline_id: number;
  readonly other_pipeline_id: number;
  readonly stage_1: number;
  readonly stage_2: number;
  readonly stage_3: number;
  readonly other_stage_id: number;
}

/** Creates an account with an admin, a member and two pipelines, past the service and fast. */
export async function world(service: Reachable): Promise<World> {
  const { database } = service;
  const [row] = await database.query<WorldRow>(
    `WITH account AS (
       INSERT INTO accounts (name) VALUES ('Account') RETURNING id
     ), people AS (
       INSERT INTO users (account_id, email, role, full_name)
       SELECT account.id, person.* FROM account,
         (VALUES ($1, 'admin', 'Ada Admin'), ($2, 'member', 'Max Member')) AS person (email, role, full_name)
       RETURNING *
     ), ways AS (
       INSERT INTO pipelines (account_id, name)
       SELECT account.id, way.name FROM account, (VALUES ('Sales'), ('Partners')) AS way (name)
       RETURNING *
     ), steps AS (
       INSERT INTO stages (account_id, pipeline_id, name, position)
       SELECT ways.account_id, ways.id, step.name, step.position FROM ways
       JOIN (VALUES ('Sales', 'New', 1), ('Sales', 'Talks', 2), ('Sales', 'Offer', 3), ('Partners', 'Lead', 1))
         AS step (pipeline, name, position) ON step.pipeline = ways.name
       ORDER BY ways.id, step.position
       RETURNING *
     )
     SELECT account.id AS account_id,
       (SELECT id FROM people WHERE role = 'admin') AS admin_id, $1 AS admin_email,
       (SELECT id FROM people WHERE role = 'member') AS member_id, $2 AS member_email,
       (SELECT id FROM ways WHERE name = 'Sales') AS pipeline_id,
       (SELECT id FROM ways WHERE name = 'Partners') AS other_pipeline_id,
       (SELECT id FROM steps WHERE name = 'New') AS stage_1,
       (SELECT id FROM steps WHERE name = 'Talks') AS stage_2,
       (SELECT id FROM steps WHERE name = 'Offer') AS stage_3,
       (SELECT id FROM steps WHERE name = 'Lead') AS other_stage_id
     FROM account`,
    [unique('admin'), unique('member')],
  );
  if (!row) throw new Error('the account was not created');
  const holder = (id: number) => ({ id, account_id: row.account_id });
  const [admin, member] = await Promise.all([
    issue(database, holder(row.admin_id)),
    issue(database, holder(row.member_id)),
  ]);
  return new World(service, row, { admin, member });
}
