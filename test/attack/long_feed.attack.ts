/** The feed of an account that has ten million changes behind it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeCursor } from '../../src/resources/changes/cursor.ts';
import { seeded } from '../kit/seeded.ts';
import { send } from './requests.ts';
import { openScene, type Scene, tell } from './scene.ts';

const changes = Number(process.env.FEED_CHANGES ?? 10_000_000);
const atOnce = 500_000;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
  const { database, attacker } = scene;
  // As if they had been written one after the other by those transactions that there were.
  for (let from = 0; from < changes; from += atOnce) {
    await database.query(
      `INSERT INTO audit_entries
         (account_id, user_id, action, record_type, record_id, before, after, request_id, created_at, change_order)
       SELECT $1, $2, 'contact.update', 'contact', n % 100000,
         json_build_object('full_name', md5(n::text), 'phone', ''),
         json_build_object('full_name', md5((n + 1)::text), 'phone', '+551199' || n), 'request-' || n,
         now() - interval '20 days' + n * interval '20 days' / $3,
         1 + n::bigint * (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1) / $3
       FROM generate_series($4::int, $5::int) AS n`,
      [attacker.accountId, attacker.admin.id, changes, from, Math.min(from + atOnce, changes) - 1],
    );
  }
  await database.query('VACUUM ANALYZE audit_entries');
}, 1_800_000);
afterAll(() => scene.close());

/** Milliseconds that pages of a thousand changes take, from these cursors on. */
async function pages(after: () => string | undefined): Promise<{ p50: number; p99: number }> {
  const { service, attacker } = scene;
  const took: number[] = [];
  for (let n = 0; n < 200; n++) {
    const cursor = after();
    const path = `/api/v1/accounts/${attacker.accountId}/changes?limit=1000${cursor ? `&after=${cursor}` : ''}`;
    const begun = performance.now();
    const { status, end } = await send(service, { path, token: attacker.admin.token });
    took.push(performance.now() - begun);
    expect({ status, more: /"more":true/.test(end) }).toEqual({ status: '200', more: true });
    next = /"next":"([^"]+)"/.exec(end)?.[1];
  }
  took.sort((one, other) => one - other);
  return { p50: took[100] ?? 0, p99: took[197] ?? 0 };
}
let next: string | undefined;

test('a page of a thousand changes takes 15 ms, wherever in ten million it lies', async () => {
  const { database, attacker } = scene;
  const [{ id: incarnation } = { id: '' }] = await database.query<{ id: string }>(
    'SELECT id FROM incarnations',
  );
  const below = seeded(20_261_123);
  const places = await database.query<{ id: number; order: number }>(
    `SELECT id, change_order AS order FROM audit_entries
     WHERE account_id = $1 AND request_id = ANY($2)`,
    [attacker.accountId, Array.from({ length: 200 }, () => `request-${below(changes - 2000)}`)],
  );
  const cursors = places.map((place) => writeCursor({ incarnation, ...place, seen: [] }));
  await pages(() => undefined);
  const figures = {
    first: await pages(() => undefined),
    following: await pages(() => next),
    anywhere: await pages(() => cursors.pop() ?? cursors[0]),
  };
  tell(`pages of ${changes} changes`, figures);
  for (const { p50 } of Object.values(figures)) expect(p50).toBeLessThan(15);
});
