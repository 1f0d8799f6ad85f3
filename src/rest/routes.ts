/**
 * The REST contract as data: one row a route. A row names the root field of `schema.graphql` that
 * does the work; the operation stored under that name selects what the answer shows.
 */
import type { Action } from '../auth/policy.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a payload becomes. */
export interface Answer {
  readonly status: 200 | 201 | 204;
  readonly body?: unknown;
}

export interface Route {
  readonly method: Method;
  /** Beneath `/api/v1/accounts/:account_id`. */
  readonly path: string;
  /** Root field of the schema and name of the stored operation. */
  readonly operation: string;
  readonly action: Action;
  /** What the request carries: the fields of a record, or a search. */
  readonly takes?: 'input' | 'search';
  readonly answer: (payload: Payload) => Answer;
}

/** What a root field returned. */
export type Payload = Readonly<Record<string, unknown>>;

const ok = (body: Payload): Answer => ({ status: 200, body });
const created = (body: Payload): Answer => ({ status: 201, body });
const gone = (): Answer => ({ status: 204 });
const upserted =
  (record: string) =>
  (payload: Payload): Answer => ({ status: payload.created ? 201 : 200, body: payload[record] });

const create = (path: string, operation: string, action: Action): Route => ({
  method: 'POST',
  path,
  operation,
  action,
  takes: 'input',
  answer: created,
});
const search = (path: string, operation: string, action: Action): Route => ({
  method: 'POST',
  path: `${path}/search`,
  operation,
  action,
  takes: 'search',
  answer: ok,
});
const get = (path: string, operation: string, action: Action): Route => ({
  method: 'GET',
  path: `${path}/:id`,
  operation,
  action,
  answer: ok,
});
const update = (path: string, operation: string, action: Action): Route => ({
  method: 'PUT',
  path: `${path}/:id`,
  operation,
  action,
  takes: 'input',
  answer: ok,
});
const upsert = (path: string, operation: string, action: Action, record: string): Route => ({
  method: 'POST',
  path: `${path}/upsert`,
  operation,
  action,
  takes: 'input',
  answer: upserted(record),
});
const remove = (path: string, operation: string, action: Action): Route => ({
  method: 'DELETE',
  path: `${path}/:id`,
  operation,
  action,
  answer: gone,
});

export const routes: readonly Route[] = [
  create('/contacts', 'create_contact', 'contact.create'),
  search('/contacts', 'contacts', 'contact.read'),
  get('/contacts', 'contact', 'contact.read'),
  upsert('/contacts', 'upsert_contact', 'contact.create', 'contact'),
  remove('/contacts', 'delete_contact', 'contact.delete'),

  create('/deals', 'create_deal', 'deal.create'),
  search('/deals', 'deals', 'deal.read'),
  get('/deals', 'deal', 'deal.read'),
  update('/deals', 'update_deal', 'deal.update'),
  upsert('/deals', 'upsert_deal', 'deal.create', 'deal'),

  create('/deal_products', 'create_deal_product', 'deal_product.create'),
  get('/deal_products', 'deal_product', 'deal_product.read'),
  update('/deal_products', 'update_deal_product', 'deal_product.update'),

  get('/products', 'product', 'product.read'),
  create('/products', 'create_product', 'product.create'),
  search('/products', 'products', 'product.read'),
  update('/products', 'update_product', 'product.update'),

  search('/users', 'users', 'user.read'),
  create('/users', 'create_user', 'user.create'),
];

/** The same route by another method, as clients use them: PATCH for PUT, GET for a search. */
export function aliases(route: Route): readonly Route[] {
  if (route.method === 'PUT') return [{ ...route, method: 'PATCH' }];
  if (route.takes === 'search') return [{ ...route, method: 'GET' }];
  return [];
}
