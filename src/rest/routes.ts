/**
 * The REST contract as data: one row per route. A row names the root field of `schema.graphql` that
 * does the work; `fragments.graphql` lists what the answer shows.
 */
import type { Action } from '../auth/policy.ts';
import { exportable } from '../graphql/exportable.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The answer made of a payload. */
export interface Answer {
  readonly status: 200 | 201 | 204;
  readonly body?: unknown;
}

export interface Route {
  readonly method: Method;
  /** Beneath `/api/v1/accounts/:account_id`. */
  readonly path: string;
  /** Root field of the schema, and name of the stored operation that is made of it. */
  readonly operation: string;
  readonly action: Action;
  /** What the request carries: the fields of a record, a search, or many records. */
  readonly body?: 'input' | 'search' | 'batch';
  /** Of a batch: what may be done to its records, and the root field whose input each then has. */
  readonly records?: Readonly<Record<string, string>>;
  /** Whether the answer shows what is beneath its record, as `<record>_with_relations` in `fragments.graphql` lists it. */
  readonly showsRelations?: true;
  /** Fields that the answer has only where they are not null. */
  readonly omitsNull?: readonly string[];
  /** A field of the payload whose own fields the answer shows beside the others. */
  readonly flattens?: string;
  /** @param payload what the root field returned: a record, which may be a text already, or what holds one */
  readonly answer: (payload: object) => Answer;
  /** Whether its use case does nothing but create the record that the answer shows, by one statement. */
  readonly singleInsert?: true;
  /** Whether it can be followed, as Server-Sent Events. */
  readonly isFollowed?: true;
}

/** Whether a route writes anything. */
export const isWrite = ({ method, body }: Pick<Route, 'method' | 'body'>): boolean =>
  method !== 'GET' && body !== 'search';

type Members = Readonly<Record<string, unknown>>;
const membersOf = (payload: object): Members => ({ ...payload });

const ok = (body: object): Answer => ({ status: 200, body });
const created = (body: object): Answer => ({ status: 201, body });
const gone = (): Answer => ({ status: 204 });
const upserted =
  (record: string) =>
  (payload: object): Answer => {
    const members = membersOf(payload);
    return { status: members.created ? 201 : 200, body: members[record] };
  };

type Rows = (path: string, operation: string, action: Action) => Route;

/** Rows of one kind: what follows a resource's path, and what is answered. */
const rows =
  (method: Method, end: string, answer: Route['answer'], body?: Route['body']): Rows =>
  (path, operation, action) => ({
    method,
    path: path + end,
    operation,
    action,
    answer,
    ...(body && { body }),
  });

const create = rows('POST', '', created, 'input');
/** The same where nothing else comes of it. */
const createAlone: Rows = (...row) => ({ ...create(...row), singleInsert: true });
const search = rows('POST', '/search', ok, 'search');
const withRelations =
  (make: Rows): Rows =>
  (...row) => ({ ...make(...row), showsRelations: true });
const get = withRelations(rows('GET', '/:id', ok));
const update = rows('PUT', '/:id', ok, 'input');
const upsert = (record: string) => rows('POST', '/upsert', upserted(record), 'input');
/** All records, without a search. */
const list = rows('GET', '', ok);
const remove = rows('DELETE', '/:id', gone);
/** Something done to a record other than changing its fields. */
const act = (verb: string, answer: Route['answer'] = ok) => rows('POST', `/:id/${verb}`, answer);
const restore = withRelations(act('restore'));
/** A record with a secret that is shown this once. */
const issued =
  (record: string, answer: Route['answer']): Route['answer'] =>
  (payload) => {
    const { [record]: opened, ...secret } = membersOf(payload);
    return answer({ ...Object(opened), ...secret });
  };

/** What a result of a batch has where its record was refused. */
const omitsNull = ['code', 'errors', 'fields', 'codes', 'conflict'];
const batched = (payload: object): Answer => {
  const { results, summary } = membersOf(payload);
  return ok({ results: Array.isArray(results) ? results.map(withoutNulls) : results, summary });
};
const withoutNulls = (result: Members): Members =>
  Object.fromEntries(
    Object.entries(result).filter(([name, value]) => value !== null || !omitsNull.includes(name)),
  );
/** Only a record that came back says so. */
const changed = (payload: object): Answer => {
  const { data, ...others } = membersOf(payload);
  if (!Array.isArray(data)) return ok(payload);
  return ok({
    data: data.map(({ restored, ...change }) => (restored ? { ...change, restored } : change)),
    ...others,
  });
};

/** @param created root fields that create such a record, or update it, by the operation */
const batch =
  (created: Readonly<Record<string, string>>): Rows =>
  (path, operation, action) => {
    const update = `update_${action.slice(0, action.indexOf('.'))}`;
    const records = { ...created, update, delete: update };
    const row = rows('POST', '/batch', batched, 'batch')(path, operation, action);
    return { ...row, records, omitsNull };
  };

/** Lists that an answer has only where the token may read their records. */
const foundLists = ['contacts', 'deals', 'products', 'users'];
const foundRecords = (payload: object): Answer => {
  const readable = Object.entries(payload).filter(([, list]) => list !== null);
  return ok(Object.fromEntries(readable));
};

export const routes: readonly Route[] = [
  createAlone('/contacts', 'create_contact', 'contact.create'),
  search('/contacts', 'contacts', 'contact.read'),
  get('/contacts', 'contact', 'contact.read'),
  upsert('contact')('/contacts', 'upsert_contact', 'contact.create'),
  update('/contacts', 'update_contact', 'contact.update'),
  remove('/contacts', 'delete_contact', 'contact.delete'),
  list('/contacts/duplicates', 'contact_duplicates', 'contact.read'),
  restore('/contacts', 'restore_contact', 'contact.restore'),
  { ...withRelations(act('merge'))('/contacts', 'merge_contacts', 'contact.merge'), body: 'input' },
  batch({ create: 'create_contact', upsert: 'upsert_contact' })(
    '/contacts',
    'batch_contacts',
    'contact.create',
  ),
  create('/contacts/:contact_id/events', 'create_contact_event', 'event.create'),

  create('/deals', 'create_deal', 'deal.create'),
  search('/deals', 'deals', 'deal.read'),
  get('/deals', 'deal', 'deal.read'),
  update('/deals', 'update_deal', 'deal.update'),
  upsert('deal')('/deals', 'upsert_deal', 'deal.create'),
  remove('/deals', 'delete_deal', 'deal.delete'),
  restore('/deals', 'restore_deal', 'deal.restore'),
  batch({ create: 'create_deal', upsert: 'upsert_deal' })('/deals', 'batch_deals', 'deal.create'),
  create('/deals/:deal_id/events', 'create_deal_event', 'event.create'),

  withRelations(create)('/deal_products', 'create_deal_product', 'deal_product.create'),
  search('/deal_products', 'deal_products', 'deal_product.read'),
  get('/deal_products', 'deal_product', 'deal_product.read'),
  withRelations(update)('/deal_products', 'update_deal_product', 'deal_product.update'),
  remove('/deal_products', 'delete_deal_product', 'deal_product.delete'),
  restore('/deal_products', 'restore_deal_product', 'deal_product.restore'),
  batch({ create: 'create_deal_product' })(
    '/deal_products',
    'batch_deal_products',
    'deal_product.create',
  ),

  get('/products', 'product', 'product.read'),
  createAlone('/products', 'create_product', 'product.create'),
  search('/products', 'products', 'product.read'),
  update('/products', 'update_product', 'product.update'),
  remove('/products', 'delete_product', 'product.delete'),
  restore('/products', 'restore_product', 'product.restore'),
  batch({ create: 'create_product' })('/products', 'batch_products', 'product.create'),

  withRelations(list)('/pipelines', 'all_pipelines', 'pipeline.read'),
  createAlone('/pipelines', 'create_pipeline', 'pipeline.create'),
  search('/pipelines', 'pipelines', 'pipeline.read'),
  get('/pipelines', 'pipeline', 'pipeline.read'),
  update('/pipelines', 'update_pipeline', 'pipeline.update'),
  remove('/pipelines', 'delete_pipeline', 'pipeline.delete'),

  create('/stages', 'create_stage', 'stage.create'),
  search('/stages', 'stages', 'stage.read'),
  get('/stages', 'stage', 'stage.read'),
  update('/stages', 'update_stage', 'stage.update'),
  remove('/stages', 'delete_stage', 'stage.delete'),

  create('/deal_assignees', 'create_deal_assignee', 'deal_assignee.create'),
  remove('/deal_assignees', 'delete_deal_assignee', 'deal_assignee.delete'),

  search('/events', 'events', 'event.read'),
  get('/events', 'event', 'event.read'),
  update('/events', 'update_event', 'event.update'),
  remove('/events', 'delete_event', 'event.delete'),
  restore('/events', 'restore_event', 'event.restore'),
  batch({ create: 'create_contact_event' })('/events', 'batch_events', 'event.create'),

  search('/users', 'users', 'user.read'),
  create('/users', 'create_user', 'user.create'),
  get('/users', 'user', 'user.read'),
  update('/users', 'update_user', 'user.update'),
  remove('/users', 'delete_user', 'user.delete'),

  {
    ...create('/tokens', 'create_token', 'token.create'),
    flattens: 'token',
    answer: issued('token', created),
  },
  search('/tokens', 'tokens', 'token.read'),
  get('/tokens', 'token', 'token.read'),
  remove('/tokens', 'delete_token', 'token.revoke'),

  {
    ...create('/webhooks', 'create_webhook', 'webhook.create'),
    flattens: 'webhook',
    answer: issued('webhook', created),
  },
  search('/webhooks', 'webhooks', 'webhook.read'),
  get('/webhooks', 'webhook', 'webhook.read'),
  update('/webhooks', 'update_webhook', 'webhook.update'),
  remove('/webhooks', 'delete_webhook', 'webhook.delete'),
  {
    ...act('rotate_secret')('/webhooks', 'rotate_webhook_secret', 'webhook.rotate_secret'),
    flattens: 'webhook',
    answer: issued('webhook', ok),
  },
  act('test', created)('/webhooks', 'test_webhook', 'webhook.test'),
  {
    ...act('replay')('/webhooks', 'replay_webhook', 'webhook.replay'),
    body: 'input',
  },
  search('/webhooks/:webhook_id/deliveries', 'webhook_deliveries', 'webhook_delivery.read'),
  act('retry')('/deliveries', 'retry_webhook_delivery', 'webhook_delivery.retry'),

  list('', 'account', 'account.read'),
  {
    method: 'PUT',
    path: '',
    operation: 'update_account',
    action: 'account.update',
    body: 'input',
    answer: ok,
  },
  list('/me', 'me', 'me.read'),
  { ...list('/find', 'find', 'record.find'), answer: foundRecords, omitsNull: foundLists },

  {
    ...list('/changes', 'changes', 'change.read'),
    answer: changed,
    omitsNull: ['restored'],
    isFollowed: true,
  },
];

const isExportable = (operation: string) => exportable.some((one) => one === operation);

/** Routes that stream all that a search finds, in place of a page of it. */
export const exportRoutes: readonly Route[] = routes
  .filter(({ body, operation }) => body === 'search' && isExportable(operation))
  .map((row) => ({ ...row, method: 'GET', path: row.path.replace(/\/search$/, '/export') }));

/** The same route by other methods that clients use: PATCH for PUT, GET for a search. */
export function aliases(route: Route): readonly Route[] {
  if (route.method === 'PUT') return [{ ...route, method: 'PATCH' }];
  if (route.body === 'search') return [{ ...route, method: 'GET' }];
  return [];
}
