/** What is measured: the same requests for the service and for the reference. */
import { nameOf, type Seed } from './seed.ts';

/** All requests are of one account of the fifty. */
export const account = 7;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  /** With which the request can be sent again. */
  readonly key?: string;
}

/** Headers of a request beside those of its token. */
export const headersOf = ({ body, key }: Request): Readonly<Record<string, string>> => ({
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...(key !== undefined && { 'idempotency-key': key }),
});

export interface Operation {
  readonly name: string;
  readonly kind: 'read' | 'search' | 'write' | 'graphql';
  readonly status: 200 | 201;
  /** At once; as many as of the others when not given. */
  readonly connections?: number;
  /** The nth request; no two write the same e-mail address, whoever is asked. */
  readonly request: (n: number) => Request;
  /** Takes away what a request created, known by its id. */
  readonly removal?: (id: number) => Request;
}

/** Records of a batch. */
const inBatch = 1000;

const base = `/api/v1/accounts/${account}`;
const terms = ['lima', 'souza', 'ab12', 'ff0', 'costa'];

const dashboard = `query ($account_id: Integer!, $query: SearchQuery) {
  deals(account_id: $account_id, query: $query, per_page: 20) {
    data {
      id
      name
      total_deal_products_amount_in_cents
      contact { id full_name email }
      stage { name }
      deal_products { quantity product { name } }
    }
    pagination { count }
  }
}`;

/** @param seed what the database was filled with */
export function operationsOn(seed: Seed): readonly Operation[] {
  const { contactId, dealId, productId, stageId } = seed;
  const dealQuery = (n: number) => ({ status_eq: 'open', stage_id_eq: stageId(account, n) });
  return [
    {
      name: 'contact get',
      kind: 'read',
      status: 200,
      request: (n) => ({ method: 'GET', path: `${base}/contacts/${contactId(account, n * 7)}` }),
    },
    {
      name: 'deal get',
      kind: 'read',
      status: 200,
      request: (n) => ({ method: 'GET', path: `${base}/deals/${dealId(account, n * 7)}` }),
    },
    {
      name: 'contact search',
      kind: 'search',
      status: 200,
      request: (n) => ({
        method: 'POST',
        path: `${base}/contacts/search`,
        body: JSON.stringify({ query: { full_name_cont: terms[n % terms.length] }, per_page: 20 }),
      }),
    },
    {
      name: 'deal search',
      kind: 'search',
      status: 200,
      request: (n) => ({
        method: 'POST',
        path: `${base}/deals/search`,
        body: JSON.stringify({ query: dealQuery(n), per_page: 20 }),
      }),
    },
    // Before products are attached: of what hangs on a deal it asks for ten.
    {
      name: 'dashboard query',
      kind: 'graphql',
      status: 200,
      request: (n) => ({
        method: 'POST',
        path: '/graphql',
        body: JSON.stringify({
          query: dashboard,
          variables: { account_id: account, query: dealQuery(n) },
        }),
      }),
    },
    {
      name: 'contact create',
      kind: 'write',
      status: 201,
      request: (n) => ({
        method: 'POST',
        path: `${base}/contacts`,
        body: JSON.stringify({
          full_name: `New Contact ${n}`,
          email: `new${n}@example.com`,
          label_list: ['lead'],
          custom_attributes: { source: 'form', score: n % 100 },
        }),
      }),
      removal: (id) => ({ method: 'DELETE', path: `${base}/contacts/${id}` }),
    },
    {
      name: 'deal update',
      kind: 'write',
      status: 200,
      request: (n) => ({
        method: 'PUT',
        path: `${base}/deals/${dealId(account, n * 7)}`,
        body: JSON.stringify({ name: `Renamed ${n}` }),
      }),
    },
    {
      name: 'contact upsert',
      kind: 'write',
      status: 200,
      request: (n) => ({
        method: 'POST',
        path: `${base}/contacts/upsert`,
        body: JSON.stringify({
          email: `c${contactId(account, n * 7)}@example.com`,
          // Names as they were: a search finds as much after these writes as before.
          full_name: nameOf(n),
        }),
      }),
    },
    {
      name: 'contact batch',
      kind: 'write',
      status: 200,
      connections: 2,
      request: (n) => ({
        method: 'POST',
        path: `${base}/contacts/batch`,
        body: JSON.stringify({
          operation: 'upsert',
          records: Array.from({ length: inBatch }, (_, at) => ({
            email: `c${contactId(account, n * inBatch + at)}@example.com`,
            // Another one each time, or nothing is written.
            full_name: `${nameOf(n * inBatch + at)} ${n}`,
          })),
        }),
      }),
    },
    {
      name: 'deal product create',
      kind: 'write',
      status: 201,
      request: (n) => ({
        method: 'POST',
        path: `${base}/deal_products`,
        body: JSON.stringify({
          product_id: productId(account, n),
          deal_id: dealId(account, n * 7),
          quantity: 1 + (n % 5),
        }),
      }),
      removal: (id) => ({ method: 'DELETE', path: `${base}/deal_products/${id}` }),
    },
  ];
}

/** Each operation again with a key, beside itself without one. */
export const keyed = (operation: Operation): Operation => ({
  ...operation,
  name: `${operation.name} with a key`,
  request: (n) => ({ ...operation.request(n), key: `bench-${n}` }),
});

/** Its names are those that PostGraphile gives the tables and their keys. */
const generatedDashboard = `query ($account: BigInt!, $status: String!, $stage: BigInt!) {
  allDeals(condition: { accountId: $account, status: $status, stageId: $stage }, first: 20) {
    nodes {
      rowId
      name
      totalDealProductsAmountInCents
      contact: contactByAccountIdAndContactId { rowId fullName email }
      stage: stageByAccountIdAndPipelineIdAndStageId { name }
      dealProducts: dealProductsByAccountIdAndDealId {
        nodes { quantity product: productByAccountIdAndProductId { name } }
      }
    }
    totalCount
  }
}`;

/** The dashboard query as PostGraphile takes it; that it is of one account is up to the query. */
export const rivalOperationOn = ({ stageId }: Seed): Operation => ({
  name: 'generated dashboard',
  kind: 'graphql',
  status: 200,
  request: (n) => ({
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({
      query: generatedDashboard,
      variables: { account: String(account), status: 'open', stage: String(stageId(account, n)) },
    }),
  }),
});
