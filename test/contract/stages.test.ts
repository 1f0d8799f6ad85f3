import { describe, expect, test } from '@jest/globals';
import type { Stage } from '../kit/records.ts';
import { forbidden, invalid, notFound } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { onePage, stageBody } from '../kit/shapes.ts';
import { type World, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

/** Names of a pipeline's stages in their order; their positions must be 1 to n. */
async function order(of: World): Promise<string> {
  const rows = await service.database.query<{ name: string; position: number }>(
    'SELECT name, position FROM stages WHERE account_id = $1 AND pipeline_id = $2 ORDER BY position',
    [of.accountId, of.pipelineId],
  );
  expect(rows.map((row) => row.position)).toEqual(rows.map((_, at) => at + 1));
  return rows.map((row) => row.name).join(' ');
}

describe('POST /stages', () => {
  test('201 at the end when no position is sent', async () => {
    const fresh = await world(service);
    const body = { name: ' Signed ', pipeline_id: fresh.pipelineId };
    expect(await fresh.rest.post('/stages', body)).toAnswer(
      201,
      stageBody(fresh.accountId, { name: 'Signed', pipeline_id: fresh.pipelineId, position: 4 }),
    );
  });

  test.each([
    [1, 'X New Talks Offer', 1],
    [2, 'New X Talks Offer', 2],
    [4, 'New Talks Offer X', 4],
    [99, 'New Talks Offer X', 4],
    ['2', 'New X Talks Offer', 2],
    [null, 'New Talks Offer X', 4],
  ])('201 at position %j: %s', async (position, expected, place) => {
    const fresh = await world(service);
    const body = { name: 'X', pipeline_id: fresh.pipelineId, position };
    expect(await fresh.rest.post('/stages', body)).toAnswer(
      201,
      stageBody(fresh.accountId, { name: 'X', pipeline_id: fresh.pipelineId, position: place }),
    );
    expect(await order(fresh)).toBe(expected);
  });

  test('422 for all that is wrong, together', async () => {
    expect(await w.rest.post('/stages', { position: 0 })).toAnswer(
      422,
      invalid({
        name: "can't be blank",
        pipeline_id: 'must exist',
        position: 'must be greater than or equal to 1',
      }),
    );
  });

  test('422 for the pipeline of another account', async () => {
    const stranger = await world(service);
    const body = { name: 'X', pipeline_id: stranger.pipelineId };
    expect(await w.rest.post('/stages', body)).toAnswer(
      422,
      invalid({ pipeline_id: 'must exist' }),
    );
  });

  test('403 for a member', async () => {
    const body = { name: 'X', pipeline_id: w.pipelineId };
    expect(await w.restAs(w.member.token).post('/stages', body)).toAnswer(403, forbidden);
  });

  test('many at once leave no gap and no repeat', async () => {
    const fresh = await world(service);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        fresh.rest.post('/stages', { name: `S${n}`, pipeline_id: fresh.pipelineId, position: 2 }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect((await order(fresh)).split(' ')).toHaveLength(15);
  });
});

describe('GET /stages/{id}', () => {
  test('200', async () => {
    const [first] = w.stageIds;
    const stage = stageBody(w.accountId, {
      id: first,
      name: 'New',
      pipeline_id: w.pipelineId,
      position: 1,
    });
    expect(await w.rest.get(`/stages/${first}`)).toAnswer(200, stage);
    expect(await w.restAs(w.member.token).get(`/stages/${first}`)).toAnswer(200, stage);
  });

  test('404 for a stage of another account', async () => {
    const stranger = await world(service);
    expect(await w.rest.get(`/stages/${stranger.stageIds[0]}`)).toAnswer(404, notFound);
  });
});

describe('PUT /stages/{id}', () => {
  test.each([
    [0, 3, 'Talks Offer New'],
    [2, 1, 'Offer New Talks'],
    [1, 2, 'New Talks Offer'],
    [0, 2, 'Talks New Offer'],
    [0, 99, 'Talks Offer New'],
    [0, null, 'Talks Offer New'],
  ])('200: stage %j to position %j: %s', async (which, position, expected) => {
    const fresh = await world(service);
    const answer = await fresh.rest.put<Stage>(`/stages/${fresh.stageIds[which]}`, { position });
    expect(answer).toAnswer(200);
    expect(await order(fresh)).toBe(expected);
    expect(answer.body.position).toBe(expected.split(' ').indexOf(answer.body.name) + 1);
  });

  test('200 for a new name; the place stays, and so may the pipeline be sent back', async () => {
    const fresh = await world(service);
    const [, second] = fresh.stageIds;
    const body = { name: 'Meetings', pipeline_id: fresh.pipelineId };
    expect(await fresh.rest.put(`/stages/${second}`, body)).toAnswer(
      200,
      stageBody(fresh.accountId, {
        id: second,
        name: 'Meetings',
        pipeline_id: fresh.pipelineId,
        position: 2,
      }),
    );
    const [entry] = await service.database.query(
      'SELECT action, before, after FROM audit_entries WHERE account_id = $1 ORDER BY id DESC LIMIT 1',
      [fresh.accountId],
    );
    expect(entry).toEqual({
      action: 'stage.update',
      before: { name: 'Talks' },
      after: { name: 'Meetings' },
    });
  });

  test('404 before 422; 403 for a member', async () => {
    expect(await w.rest.put('/stages/999999', { name: '' })).toAnswer(404, notFound);
    expect(await w.rest.put(`/stages/${w.stageIds[0]}`, { name: '', position: 'x' })).toAnswer(
      422,
      invalid({ name: "can't be blank", position: 'must be an integer' }),
    );
    const member = w.restAs(w.member.token);
    expect(await member.put(`/stages/${w.stageIds[0]}`, {})).toAnswer(403, forbidden);
  });

  test('moves at once, beside deals that move, leave no gap and no repeat', async () => {
    const fresh = await world(service);
    const deals = await Promise.all(fresh.stageIds.map((stage_id) => fresh.deal({ stage_id })));
    const answers = await Promise.all([
      ...Array.from({ length: 12 }, (_, n) =>
        fresh.rest.put(`/stages/${fresh.stageIds[n % 3]}`, { position: (n % 2) + 1 }),
      ),
      ...deals.map((deal, n) =>
        fresh.rest.put(`/deals/${deal.id}`, { stage_id: fresh.stageIds[(n + 1) % 3], position: 1 }),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await order(fresh)).split(' ').sort()).toEqual(['New', 'Offer', 'Talks']);
    for (const stage of fresh.stageIds) expect((await fresh.board(stage)).positions).toEqual([1]);
  });
});

describe('the days after which deals of a stage rest', () => {
  const update = (of: World, rests_after_days: unknown) =>
    of.graphql.send(
      `mutation ($account: Integer!, $id: Integer!, $input: StageInput!) {
        update_stage(account_id: $account, id: $id, input: $input) { name rests_after_days }
      }`,
      { account: of.accountId, id: of.stageIds[0], input: { rests_after_days } },
    );

  test.each([
    [14, 14],
    ['3650', 3650],
    [null, null],
  ])('%j is kept as %j', async (sent, kept) => {
    const fresh = await world(service);
    await update(fresh, 3);
    expect((await update(fresh, sent)).body.data).toEqual({
      update_stage: { name: 'New', rests_after_days: kept },
    });
    expect(
      await fresh.graphql.send(
        'query ($account: Integer!, $id: Integer!) { stage(account_id: $account, id: $id) { rests_after_days } }',
        { account: fresh.accountId, id: fresh.stageIds[0] },
      ),
    ).toMatchObject({ body: { data: { stage: { rests_after_days: kept } } } });
  });

  test.each([
    [0, 'must be greater than or equal to 1'],
    [3651, 'must be less than or equal to 3650'],
    ['soon', 'must be an integer'],
  ])('%j is refused', async (sent, why) => {
    expect((await update(w, sent)).body.errors).toMatchObject([
      { extensions: { errors: [`Rests after days ${why}`] } },
    ]);
  });

  test('are GraphQL’s alone: REST neither shows them nor searches by them', async () => {
    const fresh = await world(service);
    await update(fresh, 14);
    const [id] = fresh.stageIds;
    // What does not name them leaves them.
    await fresh.rest.put(`/stages/${id}`, { name: 'First' });
    const { body: data } = await fresh.graphql.send<{ stage: object }>(
      'query ($account: Integer!, $id: Integer!) { stage(account_id: $account, id: $id) { rests_after_days } }',
      { account: fresh.accountId, id },
    );
    expect(data.data).toEqual({ stage: { rests_after_days: 14 } });
    const { body } = await fresh.rest.get<Stage>(`/stages/${id}`);
    expect(body).toEqual({
      ...stageBody(fresh.accountId, {
        id,
        pipeline_id: fresh.pipelineId,
        name: 'First',
        position: 1,
      }),
      updated_at: expect.any(String),
    });
    const query = { rests_after_days_eq: 14 };
    expect((await fresh.rest.post('/stages/search', { query })).status).toBe(422);
  });
});

describe('DELETE /stages/{id}', () => {
  test('204, and those after it move up', async () => {
    const fresh = await world(service);
    expect(await fresh.rest.delete(`/stages/${fresh.stageIds[1]}`)).toAnswer(204, undefined);
    expect(await order(fresh)).toBe('New Offer');
    expect(await fresh.rest.delete(`/stages/${fresh.stageIds[1]}`)).toAnswer(404, notFound);
  });

  test('422 while it holds a deal', async () => {
    const fresh = await world(service);
    await fresh.deal();
    const path = `/stages/${fresh.stageIds[0]}`;
    const refused = invalid({ deals: 'must be moved or deleted first' });
    expect(await fresh.rest.delete(path)).toAnswer(422, refused);
    expect(await order(fresh)).toBe('New Talks Offer');
  });

  test('403 for a member; 404 for a stage of another account', async () => {
    const stranger = await world(service);
    expect(await w.restAs(w.member.token).delete(`/stages/${w.stageIds[0]}`)).toAnswer(
      403,
      forbidden,
    );
    expect(await w.rest.delete(`/stages/${stranger.stageIds[0]}`)).toAnswer(404, notFound);
    expect(await order(stranger)).toBe('New Talks Offer');
  });
});

test('POST /stages/search: by their own fields and those of the pipeline', async () => {
  const lead = stageBody(w.accountId, { id: w.other.stageId, name: 'Lead', position: 1 });
  for (const query of [
    { name_eq: 'Lead' },
    { pipeline_name_cont: 'partner' },
    { pipeline_id_eq: w.other.pipelineId },
  ]) {
    expect(await w.rest.post('/stages/search', { query })).toAnswer(200, onePage([lead]));
  }
});
