/** Six clients ask again and again what it would mean to take back as much as one call may. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Noticed, send } from './requests.ts';
import { mostResident, notice, noticeQuiet, openScene, type Scene, tell } from './scene.ts';

let scene: Scene;
let quiet: Noticed;
beforeAll(async () => {
  scene = await openScene();
  await fill(scene);
  quiet = await noticeQuiet(scene);
}, 600_000);
afterAll(() => scene.close());

const attackMs = 12_000;
const records = 5_000;
/** Deals in the stage where some are moved. */
const inStage = 200_000;

/** Has a user of the attacker change records by batches of a thousand. */
async function change(
  resource: string,
  token: string,
  ids: readonly number[],
  values: (id: number) => object,
): Promise<void> {
  for (let from = 0; from < ids.length; from += 1000) {
    const { status, end } = await send(scene.service, {
      path: `/api/v1/accounts/${scene.attacker.accountId}/${resource}/batch`,
      ...{ token, method: 'POST' },
      body: {
        operation: 'update',
        records: ids.slice(from, from + 1000).map((id) => ({ id, ...values(id) })),
      },
    });
    if (status !== '200' || !end.includes('"failed":0')) throw new Error(`${status} ${end}`);
  }
}

/**
 * The admin has changed the names of 5,000 contacts, which the member has changed nine times since; the
 * member has moved 5,000 of 200,000 deals, and given up 5,000 e-mails that other contacts have by now.
 */
async function fill({ attacker, database }: Scene): Promise<void> {
  const { accountId, pipelineId, admin, member } = attacker;
  const [stage] = attacker.stageIds;
  const { id: holder } = await attacker.contact({ full_name: 'Holder' });
  const made = async (text: string, values: unknown[]) =>
    (await database.query<{ id: number }>(text, values)).map(({ id }) => id);
  const named = await made(
    `INSERT INTO contacts (account_id, full_name)
     SELECT $1, 'named ' || i FROM generate_series(1, $2::int) AS i RETURNING id`,
    [accountId, records],
  );
  const known = await made(
    `INSERT INTO contacts (account_id, full_name, email)
     SELECT $1, 'known ' || i, 'known' || i || '@example.com' FROM generate_series(1, $2::int) AS i RETURNING id`,
    [accountId, records],
  );
  const deals = await made(
    `INSERT INTO deals (account_id, contact_id, pipeline_id, stage_id, rank, name)
     SELECT $1, $2, $3, $4, i, 'deal ' || i FROM generate_series(1, $5::int) AS i RETURNING id`,
    [accountId, holder, pipelineId, stage, inStage],
  );
  await database.query('UPDATE stages SET deals_count = $2 WHERE id = $1', [stage, inStage]);
  await database.query('VACUUM ANALYZE');
  const beginning = new Date().toISOString();
  await change('contacts', admin.token, named, (id) => ({ full_name: `renamed ${id}` }));
  for (let turn = 1; turn <= 8; turn++) {
    await change('contacts', member.token, named, (id) => ({ full_name: `again ${turn} ${id}` }));
  }
  choices.set('names that were changed since', `user_id: ${admin.id}, after: "${beginning}"`);
  const moved = deals.filter((_, at) => at % (inStage / records) === 0);
  const before = new Date().toISOString();
  await change('deals', member.token, moved, () => ({ position: inStage / 2 }));
  const between = new Date().toISOString();
  choices.set('moves', `user_id: ${member.id}, after: "${before}", before: "${between}"`);
  await change('contacts', member.token, known, () => ({ email: '' }));
  choices.set('e-mails that are taken', `user_id: ${member.id}, after: "${between}"`);
  await database.query(
    `INSERT INTO contacts (account_id, full_name, email)
     SELECT $1, 'taker ' || i, 'known' || i || '@example.com' FROM generate_series(1, $2::int) AS i`,
    [accountId, records],
  );
  await database.query('VACUUM ANALYZE');
}

const choices = new Map<string, string>();

test.each(['names that were changed since', 'moves', 'e-mails that are taken'])(
  'a neighbour hardly notices six clients that would take back %s',
  async (name) => {
    const end = sleep(attackMs);
    let over = false;
    void end.then(() => (over = true));
    const statuses: Record<string, number> = {};
    const query = `mutation { revert_changes(account_id: ${scene.attacker.accountId}, input: {
      dry_run: true, ${choices.get(name)} }) { reverted conflicts_count } }`;
    const client = async () => {
      while (!over) {
        const { status, end: answer } = await send(scene.service, {
          ...{ path: '/graphql', method: 'POST', token: scene.attacker.admin.token },
          body: { query },
        });
        const what = `${status} ${answer.slice(0, 160)}`;
        statuses[what] = (statuses[what] ?? 0) + 1;
      }
    };
    const [noticed, megabytes] = await Promise.all([
      notice(scene, end),
      mostResident(scene.service, end),
      ...Array.from({ length: 6 }, client),
    ]);
    tell(name, { quiet, noticed, megabytes, statuses });
    expect(Object.keys(noticed.statuses)).toEqual(['200']);
    expect(noticed.p99).toBeLessThan(5 * quiet.p99);
  },
  120_000,
);
