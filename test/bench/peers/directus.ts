/**
 * Directus, by REST: in production, as it comes, so without a cache, and with its log of activity
 * and revisions.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { account, base } from '../operations/operation.ts';
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

const token = 'a-token-of-the-admin-that-does-not-expire';

const environment = ({ url }: Home) => ({
  NODE_ENV: 'production',
  DB_CLIENT: 'pg',
  DB_CONNECTION_STRING: url,
  SECRET: 'a secret of the benchmark that is long enough',
  ADMIN_EMAIL: 'admin@example.com',
  ADMIN_PASSWORD: 'a long password of the admin',
  ADMIN_TOKEN: token,
  HOST: '127.0.0.1',
  LOG_LEVEL: 'warn',
  TELEMETRY: 'false',
});

async function start(home: Home) {
  const cli = join(home.folder, 'node_modules/@directus/api/dist/cli/run.js');
  const env = environment(home);
  const made = spawnSync(process.execPath, [cli, 'bootstrap'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`Directus did not begin:\n${made.stdout}${made.stderr}`);
  const log = join(home.folder, 'directus.log');
  const target = await startTarget('Directus', [cli, 'start'], env, { log, scheme: 'http' });
  // It does not serve a table unless it is registered.
  const told = await fetch(`http://127.0.0.1:${target.port}/collections/contacts`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ meta: { hidden: false } }),
  });
  if (!told.ok) throw new Error(`Directus does not take the table: ${await told.text()}`);
  return target;
}

function ourOne(text: string): unknown {
  const contact: Contact = JSON.parse(text);
  return shown(contact);
}

function theirOne(text: string): unknown {
  const { data }: { data: Contact } = JSON.parse(text);
  return shown(data);
}

function ourPage(text: string): unknown {
  const page: { data: Contact[]; pagination: { count: number } } = JSON.parse(text);
  return { data: page.data.map(shown), count: page.pagination.count };
}

function theirPage(text: string): unknown {
  const page: { data: Contact[]; meta: { filter_count: number } } = JSON.parse(text);
  return { data: page.data.map(shown), count: page.meta.filter_count };
}

const pairsOn = (seed: Seed): readonly Pair[] => [
  {
    name: 'contact by id',
    ours: {
      status: 200,
      request: (n) => ({ method: 'GET', path: `${base}/contacts/${idOf(seed, n)}` }),
      told: ourOne,
    },
    theirs: {
      status: 200,
      request: (n) => ({ method: 'GET', path: `/items/contacts/${idOf(seed, n)}` }),
      told: theirOne,
    },
  },
  {
    name: 'contacts by e-mail, counted',
    ours: {
      status: 200,
      request: (n) => ({
        method: 'POST',
        path: `${base}/contacts/search`,
        body: JSON.stringify({ query: { email_eq: emailOf(seed, n) }, per_page: 20 }),
      }),
      told: ourPage,
    },
    theirs: {
      status: 200,
      request: (n) => ({
        method: 'GET',
        path: `/items/contacts?filter[account_id][_eq]=${account}&filter[email][_eq]=${emailOf(seed, n)}&limit=20&meta=filter_count`,
      }),
      told: theirPage,
    },
  },
  {
    name: 'create a contact',
    ours: {
      status: 201,
      request: (n) => ({
        method: 'POST',
        path: `${base}/contacts`,
        body: JSON.stringify(newContact(n)),
      }),
      told: ourOne,
    },
    theirs: {
      status: 200,
      request: (n) => ({
        method: 'POST',
        path: '/items/contacts',
        body: JSON.stringify({ account_id: account, ...newContact(n) }),
      }),
      told: theirOne,
    },
  },
];

export const directus: Peer = {
  name: 'Directus',
  // The newest of which npm had all packages.
  version: '12.4.0',
  compiled: 'isolated-vm',
  start,
  token,
  pairsOn,
};
