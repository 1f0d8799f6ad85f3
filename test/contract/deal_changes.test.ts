import { describe, expect, test } from '@jest/globals';
import type { Deal, FetchedDeal } from '../kit/records.ts';
import { invalid, invalidFields, malformedJson, notFound, unauthorized } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { dealBody, moment } from '../kit/shapes.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const mismatch = 'does not match the pipeline of the stage';

describe('PUT /deals/{id}', () => {
  test('200 with the whole deal', async () => {
    const own = await world(service);
    const deal = await own.deal({ name: 'Old', stage_id: own.stageIds[0] });
    const other = await own.contact();
    const sent = {
      name: 'New',
      status: 'lost',
      stage_id: own.stageIds[2],
      lost_reason: 'Too dear',
      lost_at: '2026-03-01T10:00:00.000Z',
      contact_id: other.id,
      custom_attributes: { a: 1 },
    };
    const answer = await own.rest.put<Deal>(`/deals/${deal.id}`, sent);
    expect(answer).toAnswer(200, { ...deal, ...sent, updated_at: moment });
    expect(answer.body.updated_at > deal.updated_at).toBe(true);
  });

  test('an omitted field keeps its value', async () => {
    const deal = await w.deal({
      name: 'Kept',
      status: 'lost',
      lost_reason: 'Price',
      lost_at: '2026-03-01T10:00:00Z',
      custom_attributes: { a: 1 },
    });
    expect(await w.rest.put(`/deals/${deal.id}`, { name: 'Changed' })).toAnswer(200, {
      ...deal,
      name: 'Changed',
      updated_at: moment,
    });
    const { contact, stage, pipeline, deal_assignees, deal_products, ...fields } =
      await w.fetchDeal(deal.id);
    expect(fields).toEqual({ ...deal, name: 'Changed', updated_at: moment });
  });

  test('{} and an empty body change nothing', async () => {
    const deal = await w.deal({ name: 'Same' });
    expect(await w.rest.put(`/deals/${deal.id}`, {})).toAnswer(200, deal);
    expect(await w.rest.put(`/deals/${deal.id}`)).toAnswer(200, deal);
  });

  test('null clears what can be cleared', async () => {
    const deal = await w.deal({
      name: 'Cleared',
      status: 'lost',
      lost_reason: 'Price',
      custom_attributes: { a: 1 },
    });
    const cleared = {
      name: null,
      lost_reason: null,
      lost_at: null,
      won_at: null,
      custom_attributes: null,
    };
    expect(await w.rest.put(`/deals/${deal.id}`, cleared)).toAnswer(200, {
      ...deal,
      name: '',
      lost_reason: '',
      lost_at: null,
      won_at: null,
      custom_attributes: {},
      updated_at: moment,
    });
  });

  test('null for stage_id or contact_id is a 422', async () => {
    const { id } = await w.deal();
    expect(await w.rest.put(`/deals/${id}`, { stage_id: null, contact_id: null })).toAnswer(
      422,
      invalid({ stage_id: 'must exist', contact_id: 'must exist' }),
    );
  });

  test('custom_attributes is replaced whole', async () => {
    const { id } = await w.deal({ custom_attributes: { a: 1, b: { c: 2 } } });
    const { custom_attributes } = await w.updateDeal(id, { custom_attributes: { b: {} } });
    expect(custom_attributes).toEqual({ b: {} });
  });

  test('the pipeline follows a stage that is sent alone', async () => {
    const { id } = await w.deal();
    expect(await w.updateDeal(id, { stage_id: w.other.stageId })).toMatchObject({
      stage_id: w.other.stageId,
      pipeline_id: w.other.pipelineId,
    });
  });

  test('422 for a pipeline alone that is not the one of the stage; its own is accepted', async () => {
    const { id } = await w.deal();
    expect(await w.rest.put(`/deals/${id}`, { pipeline_id: w.other.pipelineId })).toAnswer(
      422,
      invalid({ pipeline_id: mismatch }),
    );
    expect(await w.rest.put(`/deals/${id}`, { pipeline_id: w.pipelineId })).toAnswer(200);
  });

  test('422 for a stage and a pipeline that do not match', async () => {
    const { id } = await w.deal();
    const body = { stage_id: w.other.stageId, pipeline_id: w.pipelineId };
    expect(await w.rest.put(`/deals/${id}`, body)).toAnswer(
      422,
      invalid({ pipeline_id: mismatch }),
    );
  });

  test('422 for an invalid status', async () => {
    const { id } = await w.deal();
    expect(await w.rest.put(`/deals/${id}`, { status: 'Won' })).toAnswer(
      422,
      invalid({ status: 'is not included in the list (open, won, lost)' }),
    );
  });

  test('422 for a malformed lost_at', async () => {
    const { id } = await w.deal();
    expect(await w.rest.put(`/deals/${id}`, { lost_at: 'yesterday' })).toAnswer(
      422,
      invalidFields('lost_at'),
    );
  });

  test('422 for a stage and a contact of another account', async () => {
    const other = await world(service);
    const { id } = await w.deal();
    const body = { stage_id: other.stageIds[0], contact_id: (await other.contact()).id };
    expect(await w.rest.put(`/deals/${id}`, body)).toAnswer(
      422,
      invalid({ stage_id: 'must exist', contact_id: 'must exist' }),
    );
  });

  test('422 for everything that is wrong, together; the deal stays as it was', async () => {
    const deal = await w.deal({ name: 'Stays' });
    const wrong = {
      name: [],
      status: 'x',
      stage_id: 999_999,
      contact_id: 999_999,
      position: 'a',
      lost_at: 1,
      won_at: 2,
    };
    expect(await w.rest.put(`/deals/${deal.id}`, wrong)).toAnswer(
      422,
      invalidFields(...Object.keys(wrong)),
    );
    expect(await w.fetchDeal(deal.id)).toMatchObject(deal);
  });

  test('read-only fields are ignored', async () => {
    const deal = await w.deal();
    const readOnly = {
      id: 1,
      account_id: 1,
      created_by_id: w.member.id,
      total_deal_products_amount_in_cents: 7,
      created_at: null,
      updated_at: null,
    };
    expect(await w.rest.put(`/deals/${deal.id}`, readOnly)).toAnswer(200, deal);
  });

  test('a fetched deal can be sent back as it is', async () => {
    const deal = await w.deal({ name: 'Back', status: 'won', custom_attributes: { b: 1, a: 2 } });
    await w.dealProduct({ deal_id: deal.id, quantity: 2, unit_amount_in_cents: 100 });
    const fetched = await w.rest.get<FetchedDeal>(`/deals/${deal.id}`);
    expect(await w.rest.put(`/deals/${deal.id}`, fetched.text)).toAnswer(200, {
      ...deal,
      total_deal_products_amount_in_cents: 200,
      updated_at: fetched.body.updated_at,
    });
    expect((await w.rest.get(`/deals/${deal.id}`)).text).toBe(fetched.text);
  });

  test('401 without a token', async () => {
    const { id } = await w.deal();
    expect(await w.restAs(undefined).put(`/deals/${id}`, {})).toAnswer(401, unauthorized);
  });

  test('404 for a deal of another account, which stays as it was', async () => {
    const other = await world(service);
    const deal = await other.deal({ name: 'Theirs' });
    expect(await w.rest.put(`/deals/${deal.id}`, { name: 'Mine' })).toAnswer(404, notFound);
    expect((await other.fetchDeal(deal.id)).name).toBe('Theirs');
  });

  test.each(['999999999', '0', 'abc', '9007199254740992'])('404 for the id %s', async (id) => {
    expect(await w.rest.put(`/deals/${id}`, { name: 'x' })).toAnswer(404, notFound);
  });

  test('400 for malformed JSON', async () => {
    const { id } = await w.deal();
    expect(await w.rest.put(`/deals/${id}`, '{')).toAnswer(400, malformedJson);
  });
});

describe('POST /deals/upsert', () => {
  test('201 with the whole deal when the contact has none', async () => {
    const own = await world(service);
    const contact = await own.contact();
    const sent = {
      stage_id: own.stageIds[0],
      pipeline_id: own.pipelineId,
      name: 'Upserted',
      contact_id: contact.id,
      status: 'open',
      custom_attributes: { a: 1 },
    };
    expect(await own.rest.post('/deals/upsert', sent)).toAnswer(
      201,
      dealBody(own.accountId, { ...sent, created_by_id: own.admin.id }),
    );
  });

  test('200 with the whole deal when the contact has one', async () => {
    const deal = await w.deal({ name: 'Before', custom_attributes: { a: 1 } });
    const sent = { contact_id: deal.contact_id, name: 'After', stage_id: w.stageIds[0] };
    expect(await w.rest.post('/deals/upsert', sent)).toAnswer(200, {
      ...deal,
      name: 'After',
      updated_at: moment,
    });
  });

  test('401 without a token', async () => {
    expect(await w.restAs(undefined).post('/deals/upsert', {})).toAnswer(401, unauthorized);
  });

  test('404 in an account that is not the caller’s', async () => {
    const stranger = await world(service);
    expect(await stranger.restAs(w.admin.token).post('/deals/upsert', {})).toAnswer(404, notFound);
  });

  test('422 when the pipeline is not the one of the stage', async () => {
    const { id } = await w.contact();
    const body = { contact_id: id, stage_id: w.stageIds[0], pipeline_id: w.other.pipelineId };
    expect(await w.rest.post('/deals/upsert', body)).toAnswer(
      422,
      invalid({ pipeline_id: mismatch }),
    );
  });

  test('422 when a required field is missing', async () => {
    expect(await w.rest.post('/deals/upsert', { name: 'x' })).toAnswer(
      422,
      invalid({ stage_id: 'must exist', contact_id: 'must exist' }),
    );
    expect(await w.rest.post('/deals/upsert', { contact_id: (await w.contact()).id })).toAnswer(
      422,
      invalid({ stage_id: 'must exist' }),
    );
  });
});
