import { describe, expect, test } from '@jest/globals';
import type { Deal } from '../kit/records.ts';
import { invalid, invalidFields, notFound, unauthorized } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import {
  assigneeBody,
  contactBody,
  dealBody,
  dealProductBody,
  moment,
  onePage,
  pipelineBody,
  stageBody,
} from '../kit/shapes.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const contactId = (await w.contact()).id;

const mismatch = 'does not match the pipeline of the stage';

describe('POST /deals', () => {
  test('201 with the whole deal', async () => {
    const sent = {
      name: 'Big one',
      status: 'open',
      stage_id: w.stageIds[1],
      pipeline_id: w.pipelineId,
      contact_id: contactId,
      position: 1,
      custom_attributes: { source: 'web' },
    };
    expect(await w.rest.post('/deals', sent)).toAnswer(
      201,
      dealBody(w.accountId, { ...sent, created_by_id: w.admin.id }),
    );
  });

  test('201 with the required fields alone: the others have their defaults', async () => {
    const own = await world(service);
    const required = { stage_id: own.stageIds[0], contact_id: (await own.contact()).id };
    expect(await own.rest.post('/deals', required)).toAnswer(
      201,
      dealBody(own.accountId, {
        ...required,
        pipeline_id: own.pipelineId,
        position: 1,
        created_by_id: own.admin.id,
      }),
    );
  });

  test('201 with null for every field that is not required: each has its default', async () => {
    const own = await world(service);
    const required = { stage_id: own.stageIds[0], contact_id: (await own.contact()).id };
    const answer = await own.rest.post('/deals', {
      ...required,
      name: null,
      status: null,
      pipeline_id: null,
      position: null,
      lost_reason: null,
      lost_at: null,
      won_at: null,
      custom_attributes: null,
    });
    expect(answer).toAnswer(
      201,
      dealBody(own.accountId, {
        ...required,
        pipeline_id: own.pipelineId,
        created_by_id: own.admin.id,
      }),
    );
  });

  test('the token’s user is its creator and its assignee', async () => {
    const deal = await w.restAs(w.member.token).post<Deal>('/deals', {
      stage_id: w.stageIds[0],
      contact_id: contactId,
    });
    expect(deal.body.created_by_id).toBe(w.member.id);
    const { deal_assignees } = await w.fetchDeal(deal.body.id);
    expect(deal_assignees).toEqual([
      assigneeBody(w.accountId, { deal_id: deal.body.id, user_id: w.member.id }),
    ]);
  });

  test('the pipeline follows from the stage', async () => {
    const deal = await w.deal({ stage_id: w.other.stageId });
    expect(deal.pipeline_id).toBe(w.other.pipelineId);
  });

  test('read-only fields are ignored', async () => {
    const deal = await w.deal({
      id: 1,
      account_id: 1,
      created_by_id: w.member.id,
      total_deal_products_amount_in_cents: 500,
      created_at: '2001-01-01T00:00:00.000Z',
      contact: { full_name: 'x' },
      deal_products: [{ product_id: 1 }],
    });
    expect(deal).toEqual(
      dealBody(w.accountId, { position: expect.any(Number), created_by_id: w.admin.id }),
    );
    expect(deal.id).toBeGreaterThan(1);
    expect(deal.created_at.startsWith('2001')).toBe(false);
  });

  test('401 without a token', async () => {
    expect(await w.restAs(undefined).post('/deals', {})).toAnswer(401, unauthorized);
  });

  test('404 in an account that is not the caller’s', async () => {
    const stranger = await world(service);
    expect(await stranger.restAs(w.admin.token).post('/deals', {})).toAnswer(404, notFound);
  });

  test('422 when stage_id and contact_id are missing', async () => {
    const refused = invalid({ stage_id: 'must exist', contact_id: 'must exist' });
    expect(await w.rest.post('/deals', { name: 'x' })).toAnswer(422, refused);
    expect(await w.rest.post('/deals')).toAnswer(422, refused);
  });

  test('422 when stage_id and contact_id are null', async () => {
    expect(await w.rest.post('/deals', { stage_id: null, contact_id: null })).toAnswer(
      422,
      invalid({ stage_id: 'must exist', contact_id: 'must exist' }),
    );
  });

  test('422 when stage_id and contact_id are of no record', async () => {
    expect(await w.rest.post('/deals', { stage_id: 999_999, contact_id: 999_999 })).toAnswer(
      422,
      invalid({ stage_id: 'must exist', contact_id: 'must exist' }),
    );
  });

  test('422 when stage_id, pipeline_id and contact_id are another account’s', async () => {
    const other = await world(service);
    const body = {
      stage_id: other.stageIds[0],
      pipeline_id: other.pipelineId,
      contact_id: (await other.contact()).id,
    };
    expect(await w.rest.post('/deals', body)).toAnswer(
      422,
      invalid({ stage_id: 'must exist', contact_id: 'must exist' }),
    );
  });

  test('422 when the pipeline is not the one of the stage', async () => {
    const body = {
      stage_id: w.stageIds[0],
      pipeline_id: w.other.pipelineId,
      contact_id: contactId,
    };
    expect(await w.rest.post('/deals', body)).toAnswer(422, invalid({ pipeline_id: mismatch }));
  });

  test('422 for every field that is wrong, all of them together; nothing is stored', async () => {
    const before = await w.count('deals');
    const wrong = {
      name: 'x'.repeat(256),
      status: 'maybe',
      stage_id: '12a',
      pipeline_id: 1.5,
      contact_id: true,
      position: 0,
      lost_reason: 'x'.repeat(65_536),
      lost_at: '2026-03-01',
      won_at: '2026-03-01T10:00:00+02:00',
      custom_attributes: 'x',
    };
    expect(await w.rest.post('/deals', wrong)).toAnswer(422, invalidFields(...Object.keys(wrong)));
    expect(await w.count('deals')).toBe(before);
  });

  test('422 reports a wrong reference beside a wrong field', async () => {
    const body = { stage_id: 999_999, contact_id: contactId, status: 'maybe' };
    expect(await w.rest.post('/deals', body)).toAnswer(
      422,
      invalid({ status: 'is not included in the list (open, won, lost)', stage_id: 'must exist' }),
    );
  });
});

describe('POST /deals/search', () => {
  test('200 with the page of deals that match', async () => {
    const deal = await w.deal({ name: 'Searched For' });
    expect(await w.rest.post('/deals/search', { query: { name_cont: 'searched f' } })).toAnswer(
      200,
      onePage([deal]),
    );
  });

  test('200 with an empty page when none matches', async () => {
    const answer = await w.rest.post('/deals/search', { query: { name_cont: 'nothing' } });
    expect(answer).toAnswer(200, onePage([]));
  });

  test('401 without a token', async () => {
    expect(await w.restAs(undefined).post('/deals/search', {})).toAnswer(401, unauthorized);
  });

  test('404 in an account that is not the caller’s', async () => {
    const stranger = await world(service);
    expect(await stranger.restAs(w.admin.token).post('/deals/search', {})).toAnswer(404, notFound);
  });
});

describe('GET /deals/{id}', () => {
  test('200 with the whole deal and what belongs to it', async () => {
    const own = await world(service);
    const contact = await own.contact({ full_name: 'Ana', label_list: ['vip'] });
    const created = await own.deal({
      contact_id: contact.id,
      name: 'Whole',
      stage_id: own.stageIds[1],
    });
    const product = await own.product({ name: 'Chair', identifier: 'CH-1', amount_in_cents: 2500 });
    const first = await own.dealProduct({
      deal_id: created.id,
      product_id: product.id,
      quantity: 3,
    });
    const second = await own.dealProduct({ deal_id: created.id, product_id: product.id });
    const attached = { product_id: product.id, deal_id: created.id, unit_amount_in_cents: 2500 };
    const snapshot = { product_name: 'Chair', product_identifier: 'CH-1' };
    expect(await own.rest.get(`/deals/${created.id}`)).toAnswer(200, {
      ...created,
      updated_at: moment,
      total_deal_products_amount_in_cents: 10_000,
      contact: contactBody(own.accountId, {
        id: contact.id,
        full_name: 'Ana',
        label_list: ['vip'],
      }),
      stage: stageBody(own.accountId, {
        id: own.stageIds[1],
        name: 'Talks',
        pipeline_id: own.pipelineId,
        position: 2,
      }),
      pipeline: pipelineBody(own.accountId, { id: own.pipelineId, name: 'Sales' }),
      deal_assignees: [assigneeBody(own.accountId, { deal_id: created.id, user_id: own.admin.id })],
      deal_products: [
        dealProductBody(own.accountId, {
          ...attached,
          ...snapshot,
          id: first.id,
          quantity: 3,
          total_amount_in_cents: 7500,
        }),
        dealProductBody(own.accountId, {
          ...attached,
          ...snapshot,
          id: second.id,
          total_amount_in_cents: 2500,
        }),
      ],
    });
  });

  test('200 with an empty list when it has no products', async () => {
    const { id } = await w.deal();
    expect((await w.fetchDeal(id)).deal_products).toEqual([]);
  });

  test('401 without a token', async () => {
    const { id } = await w.deal();
    expect(await w.restAs(undefined).get(`/deals/${id}`)).toAnswer(401, unauthorized);
  });

  test('404 for a deal of another account', async () => {
    const { id } = await (await world(service)).deal();
    expect(await w.rest.get(`/deals/${id}`)).toAnswer(404, notFound);
  });

  test.each(['999999999', '0', 'abc', '9007199254740992'])('404 for the id %s', async (id) => {
    expect(await w.rest.get(`/deals/${id}`)).toAnswer(404, notFound);
  });
});
