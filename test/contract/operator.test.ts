/** What an operator does to accounts and users by commands, and what the running service makes of it. */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { internal, tables as stored } from '../../src/generated/shapes.ts';
import { oneOfEach } from '../kit/one_of_each.ts';
import { notFound, unauthorized } from '../kit/refusals.ts';
import { secret, sharedService } from '../kit/service.ts';
import { moment } from '../kit/shapes.ts';
import { runHere, shipped } from '../kit/shared.ts';
import { unique, world } from '../kit/world.ts';

const { confirmByName } =
  await shipped<typeof import('../../src/cli/confirm.ts')>('cli/confirm.js');
const { program } = await shipped<typeof import('../../src/cli/program.ts')>('cli/program.js');

const tables = [...Object.keys(stored), ...internal];

const service = await sharedService();
const w = await world(service);
const environment = { DATABASE_URL: service.database.url, JWT_SECRET: secret };

/** Runs a command: what it prints. */
async function crm(...args: string[]): Promise<unknown> {
  const { code, out, err } = await runHere(args, environment);
  if (code !== 0) throw new Error(err);
  return JSON.parse(out);
}

const trail = (accountId: number, action: string) =>
  service.database.query(
    `SELECT user_id, token_id, request_id, record_id, before, after FROM audit_entries
     WHERE account_id = $1 AND action = $2 ORDER BY id`,
    [accountId, action],
  );
const byOperator = { user_id: null, token_id: null, request_id: 'cli' };

describe('accounts', () => {
  test('are listed with what they are and how many users they have', async () => {
    expect(await crm('account', 'list')).toContainEqual({
      id: w.accountId,
      name: expect.any(String),
      default_country: null,
      time_zone: null,
      currency: null,
      created_at: moment,
      updated_at: moment,
      users: 2,
    });
  });

  test('are changed by the rules of the API, and the trail says so', async () => {
    const { accountId } = await world(service);
    const update = ['account', 'update', '--account', String(accountId)];
    const zone = ['--time-zone', 'America/Recife'];
    expect(
      await crm(...update, '--name', ' Acme ', '--country', 'br', ...zone, '--currency', 'brl'),
    ).toEqual({
      id: accountId,
      name: 'Acme',
      default_country: 'BR',
      time_zone: 'America/Recife',
      currency: 'BRL',
      created_at: moment,
      updated_at: moment,
    });
    expect(await crm(...update, '--country', '')).toMatchObject({ default_country: null });
    expect(await trail(accountId, 'account.update')).toMatchObject([
      { ...byOperator, after: { name: 'Acme', default_country: 'BR', currency: 'BRL' } },
      { ...byOperator, before: { default_country: 'BR' }, after: { default_country: null } },
    ]);
    await expect(crm(...update, '--time-zone', 'Mars/Base')).rejects.toThrow(
      'Time zone must be an IANA time zone, such as America/Sao_Paulo',
    );
    await expect(crm('account', 'update', '--account', '999999')).rejects.toThrow(
      'There is no account 999999',
    );
  });

  test('are removed with everything in them, and nobody else’s', async () => {
    const gone = await world(service);
    await oneOfEach(gone);
    await oneOfEach(w);
    const holder = [gone.accountId, gone.admin.id];
    await service.database.query(
      `INSERT INTO sessions (account_id, user_id, token_hash, expires_at) VALUES ($1, $2, 'x', now())`,
      holder,
    );
    await service.database.query(
      `INSERT INTO sign_in_codes (account_id, user_id, code_hash, expires_at) VALUES ($1, $2, 'x', now())`,
      holder,
    );
    await service.database.query(
      `INSERT INTO web_push_subscriptions (account_id, user_id, endpoint, p256dh, auth) VALUES ($1, $2, 'x', 'x', 'x')`,
      holder,
    );
    await service.database.query(
      `INSERT INTO saved_views (account_id, user_id, list, name) VALUES ($1, $2, 'deals', 'x')`,
      holder,
    );
    await service.database.query(
      'INSERT INTO contact_aliases (account_id, contact_id, merged_id) SELECT account_id, id, 0 FROM contacts WHERE account_id = $1 LIMIT 1',
      [gone.accountId],
    );
    await service.database.query(
      `WITH erasure AS (INSERT INTO erasures (account_id, contact_id, claimed_until) VALUES ($1, 1, 'infinity') RETURNING id)
       INSERT INTO erasure_records (account_id, erasure_id, record_type, record_id) SELECT $1, id, 'contact', 1 FROM erasure`,
      [gone.accountId],
    );
    await gone.rest.post('/contacts', {}, { 'idempotency-key': 'one' });
    const rows = async (accountId: number) => {
      const counts = tables.map(async (table) => {
        const [row] = await service.database.query<{ count: number }>(
          `SELECT count(*) FROM "${table}" WHERE account_id = $1`,
          [accountId],
        );
        return [table, row?.count ?? 0] as const;
      });
      return Object.fromEntries(await Promise.all(counts));
    };
    const [before, others] = [await rows(gone.accountId), await rows(w.accountId)];
    for (const table of tables) expect([table, before[table]]).not.toEqual([table, 0]);
    // The service still believes its token.
    expect(await gone.rest.get('/pipelines')).toAnswer(200);
    const [account] = await service.database.query<{ name: string }>(
      'SELECT name FROM accounts WHERE id = $1',
      [gone.accountId],
    );
    expect(await crm('account', 'delete', '--account', String(gone.accountId), '--yes')).toEqual({
      id: gone.accountId,
      name: account?.name,
      removed: before,
    });
    expect(await gone.rest.post('/contacts', { full_name: 'Ana' })).toAnswer(401, unauthorized);
    // 404 while the service still believes its token, which removing much may outlast.
    expect([401, 404]).toContain((await gone.rest.get('')).status);
    expect(Object.values(await rows(gone.accountId)).every((count) => count === 0)).toBe(true);
    expect(await rows(w.accountId)).toEqual(others);
    expect(await w.rest.get('/pipelines')).toAnswer(200);
  });

  test('are removed in parts, and what is written meanwhile goes with them', async () => {
    const gone = await world(service);
    await service.database.query(
      'INSERT INTO contacts (account_id, full_name) SELECT $1, n::text FROM generate_series(1, 2500) AS n',
      [gone.accountId],
    );
    const letGo = await service.database.hold('SELECT FROM accounts WHERE id = $1 FOR KEY SHARE', [
      gone.accountId,
    ]);
    const deletion = crm('account', 'delete', '--account', String(gone.accountId), '--yes');
    await service.database.blocked();
    await service.database.query(
      "INSERT INTO contacts (account_id, full_name) VALUES ($1, 'Late')",
      [gone.accountId],
    );
    await letGo('COMMIT');
    expect(await deletion).toMatchObject({ removed: { contacts: 2501 } });
  });

  test('are not removed unless somebody types the name, or says yes', async () => {
    const id = String(w.accountId);
    await expect(crm('account', 'delete', '--account', id)).rejects.toThrow('add --yes');
    const typed = async (name: string) => {
      const input = Object.assign(new PassThrough(), { isTTY: true });
      input.write(`${name}\n`);
      await confirmByName('This removes it', 'Acme', { input, output: new PassThrough() });
    };
    await typed('Acme');
    await expect(typed('acme')).rejects.toThrow('That is not its name: nothing was done');
    expect(await w.rest.get('')).toAnswer(200);
  });
});

describe('users', () => {
  test('are listed with when they were last seen', async () => {
    const fresh = await world(service);
    await service.database.query(
      `UPDATE api_tokens SET last_used_at = '2026-03-01T10:00:00Z' WHERE user_id = $1`,
      [fresh.admin.id],
    );
    const user = (id: number, email: string, role: string, last_used_at: string | null) => ({
      ...{ id, account_id: fresh.accountId, email, role, language: 'en', created_at: moment },
      full_name: expect.any(String),
      last_used_at,
    });
    expect(await crm('user', 'list', '--account', String(fresh.accountId))).toEqual([
      user(fresh.admin.id, fresh.admin.email, 'admin', '2026-03-01T10:00:00.000Z'),
      user(fresh.member.id, fresh.member.email, 'member', null),
    ]);
    await expect(crm('user', 'list', '--account', '999999')).rejects.toThrow('no account 999999');
  });

  test('are changed by the rules of the API', async () => {
    const { id, email } = await w.user();
    const newEmail = unique('new');
    const of = ['user', 'update', '--email', ` ${email.toUpperCase()} `];
    const to = ['--new-email', newEmail, '--role', 'admin', '--full-name', 'Ada'];
    expect(await crm(...of, ...to)).toEqual({
      ...{ id, account_id: w.accountId, email: newEmail, full_name: 'Ada', role: 'admin' },
      ...{ language: 'en', created_at: moment },
    });
    await expect(crm(...of)).rejects.toThrow(`There is no user ${email}`);
    await expect(
      crm('user', 'update', '--email', newEmail, '--new-email', w.admin.email),
    ).rejects.toThrow('Email has already been taken');
  });

  test('are removed, and their deals handed over', async () => {
    const { id, email } = await w.user();
    const deal = await w.deal();
    await w.rest.post('/deal_assignees', { deal_id: deal.id, user_id: id });
    const remove = ['user', 'delete', '--email', email];
    const stranger = await world(service);
    await expect(crm(...remove, '--give-deals-to', stranger.admin.email)).rejects.toThrow(
      'Reassign to must exist',
    );
    await expect(crm(...remove, '--give-deals-to', 'nobody@acme.test')).rejects.toThrow(
      'There is no user nobody@acme.test',
    );
    expect(await crm(...remove, '--give-deals-to', w.member.email)).toEqual({ id, email });
    expect((await w.fetchDeal(deal.id)).deal_assignees).toContainEqual(
      expect.objectContaining({ user_id: w.member.id }),
    );
    expect((await trail(w.accountId, 'user.delete')).at(-1)).toMatchObject({
      ...byOperator,
      record_id: id,
    });
  });
});

test('all tokens of one person are revoked, each once, with an entry', async () => {
  const fresh = await world(service);
  const { admin } = fresh;
  const issued = ['one', 'two'].map(() => 'token');
  await service.database.query(
    `INSERT INTO api_tokens (account_id, user_id, jti, name)
     SELECT $1, $2, gen_random_uuid(), name FROM unnest($3::text[]) AS name`,
    [fresh.accountId, admin.id, issued],
  );
  const revoke = ['token', 'revoke', '--email', admin.email];
  const revoked = { id: expect.any(Number), revoked_at: moment };
  expect(await crm(...revoke)).toMatchObject([revoked, revoked, revoked]);
  expect(await crm(...revoke)).toEqual([]);
  expect(await trail(fresh.accountId, 'token.revoke')).toHaveLength(3);
  expect(await fresh.restAs(fresh.member.token).get('/pipelines')).toAnswer(200);
  await expect(crm('token', 'revoke')).rejects.toThrow('Say which');
});

describe('the help', () => {
  const leaves = (command: Command, path: readonly string[]): [string, Command][] =>
    command.commands.length === 0
      ? [[path.join(' '), command]]
      : command.commands.flatMap((each) => leaves(each, [...path, each.name()]));

  test.each(leaves(program, []))(
    'of crm %s marks what is required, and has an example',
    (path, command) => {
      const said: string[] = [];
      command.configureOutput({ writeOut: (text) => void said.push(text) });
      command.outputHelp();
      const help = said.join('').replace(/\n {10,}/g, ' ');
      expect(help).toContain(`\nExample:\n  crm ${path}`);
      for (const { long, mandatory } of command.options) {
        const line = help.split('\n').find((each) => each.includes(`${long}`)) ?? '';
        if (mandatory) expect(line).toContain('(required)');
      }
      const example = help.slice(help.indexOf('\nExample:'));
      for (const { long, mandatory } of command.options) {
        if (mandatory) expect(example).toContain(`${long}`);
      }
    },
  );
});

test('a contact is erased, and the trail says that the operator did it', async () => {
  const contact = await w.contact({ full_name: 'Ana' });
  const erase = ['contact', 'erase', '--account', String(w.accountId), '--id'];
  expect(await crm(...erase, String(contact.id))).toEqual({
    id: contact.id,
    entries: 2,
    done: true,
  });
  expect(await w.rest.get(`/contacts/${contact.id}`)).toAnswer(404, notFound);
  expect(await trail(w.accountId, 'contact.erase')).toEqual([
    { ...byOperator, record_id: contact.id, before: null, after: null },
  ]);
  await expect(crm(...erase, '999999')).rejects.toThrow('Resource could not be found');
});
