/** An operator learns which accounts and tokens are heavy, and nobody else does. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { operatorPass } from '../../src/auth/operator_pass.ts';
import { freePort } from '../../src/postgres/free_port.ts';
import { type Service, secret, startService } from '../kit/service.ts';
import { runHere } from '../kit/shared.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
let env: Record<string, string>;
beforeAll(async () => {
  env = { ADMIN_PORT: String(await freePort()) };
  service = await startService({ env });
  w = await world(service);
});
afterAll(() => service.close());

const asked = (authorization?: string) =>
  fetch(`http://127.0.0.1:${env.ADMIN_PORT}/top`, {
    headers: authorization === undefined ? {} : { authorization },
  });

const command = (more: NodeJS.ProcessEnv = {}) =>
  runHere(['top'], { ...env, DATABASE_URL: service.database.url, JWT_SECRET: secret, ...more });

test('crm top lists accounts by their time in the database, tokens by that of their requests', async () => {
  for (let n = 0; n < 3; n += 1) await w.contact();
  const lists = async () => JSON.parse((await command()).out);
  const [token] = await service.database.query<{ id: number }>(
    `SELECT id::int FROM api_tokens WHERE user_id = ${w.admin.id} ORDER BY id LIMIT 1`,
  );
  const row = (id: number, count: number) => ({
    id,
    account: w.accountId,
    count: expect.any(Number),
    ms: expect.any(Number),
    ...(count > 0 && { count }),
  });
  expect(await until(lists, ({ tokens }) => tokens[0]?.count === 3, 5000)).toEqual({
    accounts: [row(w.accountId, 0)],
    tokens: [row(token?.id ?? 0, 3)],
  });
});

test.each([
  undefined,
  'Bearer nonsense',
  `Bearer ${operatorPass('another secret that is long enough, as they are')}`,
  `Bearer ${operatorPass(secret, Date.now() - 120_000)}`,
  `Bearer ${operatorPass(secret, Date.now() + 120_000)}`,
])('%s is refused', async (authorization) => {
  const answer = await asked(authorization);
  expect(answer.status).toBe(401);
  expect(await answer.text()).not.toContain('accounts');
});

test("a token of an account's admin is refused", async () => {
  expect((await asked(`Bearer ${w.admin.token}`)).status).toBe(401);
});

test('the command says what is missing', async () => {
  expect(await command({ ADMIN_PORT: '' })).toEqual({
    code: 1,
    out: '',
    err: 'Set ADMIN_PORT as the server has it: that is where it is asked\n',
  });
  const other = 'another secret that is long enough, as they are';
  expect(await command({ JWT_SECRET: other })).toEqual({
    code: 1,
    out: '',
    err: `http://127.0.0.1:${env.ADMIN_PORT} has another secret: set JWT_SECRET as the server has it\n`,
  });
});
