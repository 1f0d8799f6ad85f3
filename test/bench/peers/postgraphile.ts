/** PostGraphile, by GraphQL: in production, with its default preset and the token check of the service. */
import { join } from 'node:path';
import { account, graphql } from '../operations/operation.ts';
import { startTarget } from '../processes.ts';
import type { Seed } from '../seed.ts';
import {
  type Contact,
  emailOf,
  type Home,
  idOf,
  newContact,
  type Pair,
  type Peer,
  shown,
} from './peer.ts';

const start = ({ folder, url, bench }: Home) =>
  startTarget(
    'PostGraphile',
    ['--import', 'tsx', 'test/bench/peers/postgraphile_server.ts'],
    {
      ...bench.env,
      PEER_DATABASE_URL: url,
      NODE_PATH: join(folder, 'node_modules'),
      GRAPHILE_ENV: 'production',
    },
    { scheme: 'http' },
  );

const fields = 'full_name email phone label_list custom_attributes';
const theirFields =
  'full_name: fullName email phone label_list: labelList custom_attributes: customAttributes';

function one(text: string): unknown {
  const { data }: { data: { contact: Contact } } = JSON.parse(text);
  return shown(data.contact);
}

function theirNew(text: string): unknown {
  const { data }: { data: { create: { contact: Contact } } } = JSON.parse(text);
  return shown(data.create.contact);
}

function ourPage(text: string): unknown {
  const { data }: { data: { contacts: { data: Contact[]; pagination: { count: number } } } } =
    JSON.parse(text);
  return { data: data.contacts.data.map(shown), count: data.contacts.pagination.count };
}

function theirPage(text: string): unknown {
  const { data }: { data: { contacts: { data: Contact[]; count: number } } } = JSON.parse(text);
  return { data: data.contacts.data.map(shown), count: data.contacts.count };
}

const documents = {
  ours: {
    get: `query ($account: Integer!, $id: Integer!) { contact(account_id: $account, id: $id) { ${fields} } }`,
    search: `query ($account: Integer!, $query: SearchQuery) {
      contacts(account_id: $account, query: $query, per_page: 20) { data { ${fields} } pagination { count } } }`,
    create: `mutation ($account: Integer!, $input: ContactInput!) {
      contact: create_contact(account_id: $account, input: $input) { ${fields} } }`,
  },
  theirs: {
    get: `query ($id: BigInt!) { contact: contactByRowId(rowId: $id) { ${theirFields} } }`,
    search: `query ($account: BigInt!, $email: String!) {
      contacts: allContacts(condition: { accountId: $account, email: $email }, first: 20) {
        data: nodes { ${theirFields} } count: totalCount } }`,
    create: `mutation ($contact: ContactInput!) {
      create: createContact(input: { contact: $contact }) { contact { ${theirFields} } } }`,
  },
};

function theirInput(n: number) {
  const { full_name, email, label_list, custom_attributes } = newContact(n);
  return {
    accountId: String(account),
    fullName: full_name,
    email,
    labelList: label_list,
    customAttributes: custom_attributes,
  };
}

const pairsOn = (seed: Seed): readonly Pair[] => [
  {
    name: 'contact by id',
    ours: {
      status: 200,
      request: (n) => graphql(documents.ours.get, { account, id: idOf(seed, n) }),
      told: one,
    },
    theirs: {
      status: 200,
      request: (n) => graphql(documents.theirs.get, { id: String(idOf(seed, n)) }),
      told: one,
    },
  },
  {
    name: 'contacts by e-mail, counted',
    ours: {
      status: 200,
      request: (n) =>
        graphql(documents.ours.search, { account, query: { email_eq: emailOf(seed, n) } }),
      told: ourPage,
    },
    theirs: {
      status: 200,
      request: (n) =>
        graphql(documents.theirs.search, { account: String(account), email: emailOf(seed, n) }),
      told: theirPage,
    },
  },
  {
    name: 'create a contact',
    ours: {
      status: 200,
      request: (n) => graphql(documents.ours.create, { account, input: newContact(n) }),
      told: one,
    },
    theirs: {
      status: 200,
      request: (n) => graphql(documents.theirs.create, { contact: theirInput(n) }),
      told: theirNew,
    },
  },
];

export const postgraphile: Peer = { name: 'PostGraphile', version: '5.1.5', start, pairsOn };
