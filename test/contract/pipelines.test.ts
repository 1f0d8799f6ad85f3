import { describe, expect, test } from '@jest/globals';
import type { Pipeline, Stage } from '../kit/records.ts';
import { forbidden, invalid, notFound } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { onePage, pipelineBody, stageBody } from '../kit/shapes.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

async function newPipeline(name = 'Fresh'): Promise<Pipeline> {
  const { body, text } = await w.rest.post<Pipeline>('/pipelines', { name });
  if (!body?.id) throw new Error(text);
  return body;
}

async function newStage(pipelineId: number, name: string): Promise<Stage> {
  const { body, text } = await w.rest.post<Stage>('/stages', { name, pipeline_id: pipelineId });
  if (!body?.id) throw new Error(text);
  return body;
}

/** The last entry of the trail for a record. */
async function audited(type: string, id: number) {
  const [entry] = await service.database.query<Record<string, unknown>>(
    `SELECT action, user_id, before, after FROM audit_entries
     WHERE account_id = $1 AND record_type = $2 AND record_id = $3 ORDER BY id DESC LIMIT 1`,
    [w.accountId, type, id],
  );
  return entry;
}

describe('GET /pipelines', () => {
  test('200 with every pipeline and its stages in order, on one page', async () => {
    const fresh = await world(service);
    const stage = (pipeline_id: number, name: string, position: number) =>
      stageBody(fresh.accountId, { pipeline_id, name, position });
    const { pipelineId, other } = fresh;
    expect(await fresh.rest.get('/pipelines')).toAnswer(
      200,
      onePage([
        {
          ...pipelineBody(fresh.accountId, { id: pipelineId, name: 'Sales' }),
          stages: [
            stage(pipelineId, 'New', 1),
            stage(pipelineId, 'Talks', 2),
            stage(pipelineId, 'Offer', 3),
          ],
        },
        {
          ...pipelineBody(fresh.accountId, { id: other.pipelineId, name: 'Partners' }),
          stages: [stage(other.pipelineId, 'Lead', 1)],
        },
      ]),
    );
  });

  test('200 with more pipelines than a page of a search holds', async () => {
    const fresh = await world(service);
    await service.database.query(
      `INSERT INTO pipelines (account_id, name) SELECT $1, 'P' || n FROM generate_series(1, 120) AS n`,
      [fresh.accountId],
    );
    const answer = await fresh.rest.get('/pipelines');
    expect(answer).toAnswer(200);
    expect(answer.body).toMatchObject({
      pagination: { count: 122, items: 122, pages: 1, next: null },
    });
  });

  test('200 for an account without any', async () => {
    const fresh = await world(service);
    await service.database.query('DELETE FROM stages WHERE account_id = $1', [fresh.accountId]);
    await service.database.query('DELETE FROM pipelines WHERE account_id = $1', [fresh.accountId]);
    expect(await fresh.rest.get('/pipelines')).toAnswer(200, onePage([]));
  });

  test('one statement, however many there are', async () => {
    await w.rest.get('/pipelines');
    service.statements.length = 0;
    await w.rest.get('/pipelines');
    expect(service.statements).toHaveLength(1);
  });
});

describe('one pipeline', () => {
  test('POST: 201, its name trimmed', async () => {
    const answer = await w.rest.post<Pipeline>('/pipelines', { name: '  Renewals ' });
    expect(answer).toAnswer(201, pipelineBody(w.accountId, { name: 'Renewals' }));
    expect(await audited('pipeline', answer.body.id)).toEqual({
      action: 'pipeline.create',
      user_id: w.admin.id,
      before: null,
      after: { name: 'Renewals' },
    });
  });

  test.each([
    [{}, "can't be blank"],
    [{ name: ' ' }, "can't be blank"],
    [{ name: null }, "can't be blank"],
    [{ name: true }, 'must be a string'],
    [{ name: 'x'.repeat(256) }, 'is too long (maximum is 255 characters)'],
  ])('POST: 422 for %j', async (body, message) => {
    expect(await w.rest.post('/pipelines', body)).toAnswer(422, invalid({ name: message }));
  });

  test('GET: 200 with its stages', async () => {
    const pipeline = await newPipeline();
    const stage = await newStage(pipeline.id, 'First');
    const body = { ...pipeline, stages: [stage] };
    expect(await w.rest.get(`/pipelines/${pipeline.id}`)).toAnswer(200, body);
  });

  test('PUT: 200 with the new name; an omitted one stays', async () => {
    const pipeline = await newPipeline('Before');
    const renamed = pipelineBody(w.accountId, { id: pipeline.id, name: 'After' });
    expect(await w.rest.put(`/pipelines/${pipeline.id}`, { name: 'After' })).toAnswer(200, renamed);
    expect(await w.rest.send('PATCH', `/pipelines/${pipeline.id}`, {})).toAnswer(200, renamed);
    expect(await audited('pipeline', pipeline.id)).toMatchObject({
      action: 'pipeline.update',
      before: { name: 'Before' },
      after: { name: 'After' },
    });
  });

  test('PUT: 404 before 422', async () => {
    expect(await w.rest.put('/pipelines/999999', { name: '' })).toAnswer(404, notFound);
    expect(await w.rest.put(`/pipelines/${w.pipelineId}`, { name: '' })).toAnswer(
      422,
      invalid({ name: "can't be blank" }),
    );
  });

  test('DELETE: 204, and its stages go too', async () => {
    const pipeline = await newPipeline();
    const stage = await newStage(pipeline.id, 'Gone');
    expect(await w.rest.delete(`/pipelines/${pipeline.id}`)).toAnswer(204, undefined);
    expect(await w.rest.get(`/pipelines/${pipeline.id}`)).toAnswer(404, notFound);
    expect(await w.rest.get(`/stages/${stage.id}`)).toAnswer(404, notFound);
    expect(await audited('pipeline', pipeline.id)).toMatchObject({
      action: 'pipeline.delete',
      before: { name: 'Fresh' },
    });
    expect(await audited('stage', stage.id)).toMatchObject({
      action: 'stage.delete',
      before: { name: 'Gone', pipeline_id: pipeline.id, position: 1 },
    });
  });

  test('DELETE: 422 while a stage of it holds a deal', async () => {
    const pipeline = await newPipeline();
    await newStage(pipeline.id, 'Empty');
    const stage = await newStage(pipeline.id, 'Full');
    const deal = await w.deal({ stage_id: stage.id });
    expect(await w.rest.delete(`/pipelines/${pipeline.id}`)).toAnswer(
      422,
      invalid({ deals: 'must be moved or deleted first' }),
    );
    await w.updateDeal(deal.id, { stage_id: w.stageIds[0] });
    expect(await w.rest.delete(`/pipelines/${pipeline.id}`)).toAnswer(204, undefined);
  });

  test('404 for what is not of the account', async () => {
    const stranger = await world(service);
    const path = `/pipelines/${stranger.pipelineId}`;
    expect(await w.rest.get(path)).toAnswer(404, notFound);
    expect(await w.rest.put(path, { name: 'Mine' })).toAnswer(404, notFound);
    expect(await w.rest.delete(path)).toAnswer(404, notFound);
    expect(await stranger.rest.get(path)).toAnswer(200);
  });

  test('403 for a member who would write; reading is open to all', async () => {
    const rest = w.restAs(w.member.token);
    const path = `/pipelines/${w.pipelineId}`;
    expect(await rest.get('/pipelines')).toAnswer(200);
    expect(await rest.get(path)).toAnswer(200);
    expect(await rest.post('/pipelines', { name: 'No' })).toAnswer(403, forbidden);
    expect(await rest.put(path, { name: 'No' })).toAnswer(403, forbidden);
    expect(await rest.delete(path)).toAnswer(403, forbidden);
  });
});

describe('POST /pipelines/search', () => {
  test('200 with those that match, without stages', async () => {
    const pipeline = await newPipeline('Searched for');
    const body = { query: { name_cont: 'searched' } };
    expect(await w.rest.post('/pipelines/search', body)).toAnswer(200, onePage([pipeline]));
    expect(await w.rest.get('/pipelines/search?query[name_eq]=Searched%20for')).toAnswer(
      200,
      onePage([pipeline]),
    );
  });
});

test('a pipeline that is being deleted takes no new deal, and one that takes a deal stays', async () => {
  for (let round = 0; round < 5; round++) {
    const pipeline = await newPipeline();
    const stage = await newStage(pipeline.id, 'Contested');
    const contact = await w.contact();
    const [created, deleted] = await Promise.all([
      w.rest.post('/deals', { stage_id: stage.id, contact_id: contact.id }),
      w.rest.delete(`/pipelines/${pipeline.id}`),
    ]);
    expect([`${created.status} ${deleted.status}`]).toEqual([
      expect.stringMatching(/^(201 422|422 204)$/),
    ]);
  }
});
