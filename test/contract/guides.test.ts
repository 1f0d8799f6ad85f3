/** The requests of the README and the guides, as somebody sends them who has just started the service. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { main } from '../kit/command.ts';
import { allBlocksOf, blocksOf, guides, textOf } from '../kit/guides.ts';
import { type Demo, demo } from '../kit/process.ts';
import { type Service, secret, startService } from '../kit/service.ts';

const run = promisify(execFile);
let directory: string;
let d: Demo;
let service: Service;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guides-'));
  // The ids of a first start.
  d = await demo(1);
  service = await startService({
    database: d.database,
    env: { WEBHOOK_ALLOW: '127.0.0.1:9000' },
  });
});

afterAll(async () => {
  await service.close();
  await d.database.close();
  await rm(directory, { recursive: true });
});

/** What a terminal has beside the commands: each status is printed, and nothing lasts longer than a moment. */
const terminal = `
curl() { command curl --max-time 1 "$@" -w '%{stderr}status %{http_code}\\n'; }
npm() { shift 4; node '${main}' "$@"; }
`;

/** Runs commands in a shell, and gives what they print and the statuses of their requests. */
async function shell(script: string) {
  const { stdout, stderr } = await run(
    'sh',
    ['-c', terminal + script.replaceAll('https://127.0.0.1:8443', service.url)],
    {
      cwd: directory,
      env: {
        ...process.env,
        TOKEN: d.token,
        DATABASE_URL: d.database.url,
        JWT_SECRET: secret,
        PORT: new URL(service.url).port,
        BASE: `${service.url}/api/v1/accounts/1`,
      },
    },
    // What a stream ends with is the time that it may last.
  ).catch((error: { code?: number; stdout: string; stderr: string }) => {
    if (error.code !== 28) throw error;
    return error;
  });
  return {
    stdout,
    statuses: [...stderr.matchAll(/^status (\d+)$/gm)].map(([, status]) => Number(status)),
  };
}

test('the requests of the README lead from a token to a webhook', async () => {
  const [, requests = '', webhook = '', change = '', subscription = ''] = blocksOf(
    'README.md',
    'sh',
  );
  const [create = ''] = webhook.split('npm run');
  const [removal = ''] = /(?<=`)call -X DELETE [^`]*/.exec(textOf('README.md')) ?? [];
  const { stdout, statuses } = await shell(
    `${requests}${create}${change}${removal}\necho "secret $SECRET"`,
  );
  expect(statuses).toEqual([200, 200, 201, 200, 201, 201, 201, 200, 200, 201, 200, 204]);
  expect(stdout).toMatch(/"total_deal_products_amount_in_cents":50000/);
  expect(stdout).toMatch(/"status":"won"/);
  expect(stdout).toMatch(/^secret whsec_\S+$/m);
  const stream = await shell(subscription);
  expect(stream.stdout).toMatch(/"deals_summary":\[\{"status":"/);
});

/** What the requests of a guide are answered with. */
const answers: Readonly<Record<string, readonly number[]>> = {
  'api/agents.md': [200],
  'api/bulk.md': [200],
  // The second waits for a change until its time is over.
  'api/changes-feed.md': [200, 0, 200, 200],
  'api/conditional-requests.md': [200, 304, 200],
  'api/dry-run.md': [200],
  'api/figures.md': [200],
  'api/finding.md': [200, 200],
  'api/first-steps.md': [200, 201, 201, 200],
  'api/graphql.md': [200],
  'api/idempotency.md': [201, 201],
  'api/pagination.md': [200, 200],
  'api/search.md': [200, 200, 200],
  'api/sparse-fields.md': [200],
  'api/tokens.md': [201],
  'api/values.md': [422, 200],
  'api/webhooks.md': [201],
  'how-to/export.md': [200],
  'how-to/merge.md': [201, 201, 200, 200],
  'how-to/replicas.md': [200],
  'how-to/restore.md': [201, 204, 200],
  'how-to/undo.md': [200, 200],
};

const requestsOf = (guide: string): readonly string[] =>
  allBlocksOf(guide)
    .filter(({ language, code }) => language === 'sh' && code.includes('curl '))
    .map(({ code }) => code.replaceAll(/^npm run .*\n/gm, ''));

test('the answers to the requests of every guide are checked', () => {
  const asking = guides.filter((guide) => requestsOf(guide).length > 0);
  expect(asking).toEqual(Object.keys(answers).map((guide) => `src/docs/${guide}`));
});

test.each(Object.entries(answers))('the requests of %s are answered', async (guide, expected) => {
  const { stdout, statuses } = await shell(requestsOf(`src/docs/${guide}`).join('\n'));
  expect(statuses).toEqual(expected);
  // GraphQL's errors come with a 200.
  expect(stdout).not.toContain('"errors":[{');
});

test.each(
  ['README.md', ...guides].filter((file) =>
    allBlocksOf(file).some(({ language }) => language === 'graphql'),
  ),
)('the documents of %s have an answer', async (file) => {
  for (const document of blocksOf(file, 'graphql')) {
    const { body } = await service.client.send<{ errors?: unknown; data: unknown }>({
      method: 'POST',
      path: '/graphql',
      headers: { authorization: `Bearer ${d.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: document.replace('token_id: 7', 'token_id: 1') }),
    });
    expect(body).toEqual({ data: expect.anything() });
  }
});

test('the database takes the statements that guides show for it', async () => {
  const [afterDump = ''] = blocksOf('src/docs/api/changes-feed.md', 'sql');
  await d.database.query(`BEGIN; ${afterDump} ROLLBACK`);
});

test('the statement for alerts names who holds a lock, and nobody who waits', async () => {
  const [statement = ''] = blocksOf('src/docs/how-to/alerts.md', 'sql');
  const held = 'SELECT FROM deals WHERE account_id = 1 AND id = 1 FOR UPDATE';
  const letGo = await d.database.hold(held);
  const change = () =>
    d.database.query("UPDATE deals SET name = 'x' WHERE account_id = 1 AND id = 1");
  const changes = Promise.all([change(), change()]);
  await d.database.blocked(2);
  expect(await d.database.query(statement)).toEqual([
    expect.objectContaining({ state: 'idle in transaction', last_statement: held }),
  ]);
  await letGo();
  await changes;
});
