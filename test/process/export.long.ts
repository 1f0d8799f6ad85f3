/** `crm export`, on a database and on a service elsewhere. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type Outcome, runCommand } from '../kit/command.ts';
import { type Service, secret, startService } from '../kit/service.ts';
import { runHere } from '../kit/shared.ts';
import { type World, world } from '../kit/world.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(30_000);

let service: Service;
let w: World;
const folder = mkdtempSync(join(tmpdir(), 'crm-export-'));
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  for (const full_name of ['=1', 'b', 'c']) await w.contact({ full_name });
}, 30_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.close();
});

type Run = (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<Outcome>;

const crm = (args: readonly string[], env: NodeJS.ProcessEnv = {}, run: Run = runCommand) =>
  run(['export', ...args, '--account', String(w.accountId)], {
    DATABASE_URL: service.database.url,
    JWT_SECRET: secret,
    ...env,
  });

const here = (...args: string[]) => crm(args, {}, runHere);

test('writes what an export over HTTP has, from the database and from the service', async () => {
  const output = join(folder, 'contacts.csv');
  const query = '{"full_name_not_eq":"b","s":"id desc"}';
  const { code, out, err } = await crm(
    ['contacts', '--format', 'csv', '--query', query, '--output', output],
    {},
  );
  expect({ code, out, err }).toEqual({
    code: 0,
    out: '',
    err: expect.stringMatching(/^2 records/),
  });
  const { text } = await w.rest.get<unknown>(
    '/contacts/export?format=csv&query[full_name_not_eq]=b&query[s]=id+desc',
  );
  expect(readFileSync(output, 'utf8')).toBe(text);
  expect(statSync(output).mode & 0o777).toBe(0o600);

  const remote = await crm(
    ['contacts', '--format', 'csv', '--query', query, '--url', service.url],
    {
      DATABASE_URL: 'postgresql://nowhere.invalid/x',
      CRM_TOKEN: w.member.token,
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    },
  );
  expect([remote.code, remote.out]).toEqual([0, text]);
});

test('writes the fields chosen alone, and names unknown ones', async () => {
  const chosen = ['contacts', '--format', 'csv', '--fields', 'full_name,id'];
  const { text } = await w.rest.get<unknown>('/contacts/export?format=csv&fields=id,full_name');
  expect((await here(...chosen)).out).toBe(text);
  const remote = await crm([...chosen, '--url', service.url], {
    CRM_TOKEN: w.member.token,
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  });
  expect([remote.code, remote.out]).toEqual([0, text]);
  const refused = await here('contacts', '--fields', 'fullname');
  expect([refused.code, refused.err]).toEqual([
    1,
    'fields: "fullname" is not a field (did you mean full_name?)\n',
  ]);
});

test('leaves no file behind when it fails, and overwrites none', async () => {
  const output = join(folder, 'none.csv');
  const refused = await here('contacts', '--query', '{"nope_eq":1}', '--output', output);
  expect([refused.code, refused.err]).toEqual([1, 'nope_eq: is not a searchable attribute\n']);
  const foreign = await crm(['deals', '--url', service.url, '--output', output], {
    CRM_TOKEN: 'x',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  });
  expect([foreign.code, foreign.err]).toEqual([1, expect.stringContaining('answered 401')]);
  expect([existsSync(output), existsSync(`${output}.unfinished`)]).toEqual([false, false]);
  const taken = await here('deals', '--output', folder);
  expect([taken.code, taken.err]).toEqual([1, expect.stringContaining('There is something at')]);
  expect((await here('stages')).err).toContain('stages cannot be exported');
  expect((await here('deals', '--query', '[]')).err).toContain('It must be a JSON object');
});

test('says what to do where nobody trusts the certificate of the service', async () => {
  const { code, err } = await crm(['deals', '--url', service.url], { CRM_TOKEN: 'x' });
  expect({ code, err }).toEqual({
    code: 1,
    err: `${service.url} cannot be reached: self-signed certificate. NODE_EXTRA_CA_CERTS can name a file with the certificate to trust\n`,
  });
});
