import { describe, expect, test } from '@jest/globals';
import type { DealAssignee } from '../kit/records.ts';
import { invalid, notFound } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { assigneeBody } from '../kit/shapes.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const users = async (dealId: number) =>
  (await w.fetchDeal(dealId)).deal_assignees.map((assignee) => assignee.user_id);

describe('POST /deal_assignees', () => {
  test('201, by any member, and the deal shows it', async () => {
    const deal = await w.deal();
    const body = { deal_id: deal.id, user_id: w.member.id };
    const answer = await w.restAs(w.member.token).post<DealAssignee>('/deal_assignees', body);
    expect(answer).toAnswer(201, assigneeBody(w.accountId, body));
    expect(await users(deal.id)).toEqual([w.admin.id, w.member.id]);
    const [entry] = await service.database.query(
      `SELECT action, user_id, after FROM audit_entries WHERE account_id = $1 AND record_type = 'deal_assignee'
       AND record_id = $2`,
      [w.accountId, answer.body.id],
    );
    expect(entry).toEqual({ action: 'deal_assignee.create', user_id: w.member.id, after: body });
  });

  test('422 for a user who is assigned already', async () => {
    const deal = await w.deal();
    const [assignee] = (await w.fetchDeal(deal.id)).deal_assignees;
    expect(
      await w.rest.post('/deal_assignees', { deal_id: deal.id, user_id: w.admin.id }),
    ).toAnswer(
      422,
      invalid({ user_id: 'has already been taken' }, { deal_assignee_id: assignee?.id ?? 0 }),
    );
    expect(await users(deal.id)).toEqual([w.admin.id]);
  });

  test('422 for ids that are missing or none, both told', async () => {
    const both = invalid({ deal_id: 'must exist', user_id: 'must exist' });
    expect(await w.rest.post('/deal_assignees', {})).toAnswer(422, both);
    expect(await w.rest.post('/deal_assignees', { deal_id: null, user_id: null })).toAnswer(
      422,
      both,
    );
    expect(await w.rest.post('/deal_assignees', { deal_id: 'x', user_id: 1.5 })).toAnswer(
      422,
      invalid({ deal_id: 'must be an integer', user_id: 'must be an integer' }),
    );
  });

  test('404 for a deal or user that is not of the account', async () => {
    const deal = await w.deal();
    const stranger = await world(service);
    const theirs = await stranger.deal();
    for (const body of [
      { deal_id: theirs.id, user_id: w.member.id },
      { deal_id: deal.id, user_id: stranger.member.id },
      { deal_id: 999999, user_id: w.member.id },
    ]) {
      expect(await w.rest.post('/deal_assignees', body)).toAnswer(404, notFound);
    }
  });

  test('of the same user many times at once, one is assigned', async () => {
    const deal = await w.deal();
    const body = { deal_id: deal.id, user_id: w.member.id };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => w.rest.post('/deal_assignees', body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422]);
  });
});

describe('DELETE /deal_assignees/{id}', () => {
  test('204, and the user is free to be assigned again', async () => {
    const deal = await w.deal();
    const [assignee] = (await w.fetchDeal(deal.id)).deal_assignees;
    const path = `/deal_assignees/${assignee?.id}`;
    expect(await w.restAs(w.member.token).delete(path)).toAnswer(204, undefined);
    expect(await users(deal.id)).toEqual([]);
    expect(await w.rest.delete(path)).toAnswer(404, notFound);
    const again = { deal_id: deal.id, user_id: w.admin.id };
    expect(await w.rest.post('/deal_assignees', again)).toAnswer(201);
  });

  test('404 for one of another account', async () => {
    const stranger = await world(service);
    const theirs = await stranger.fetchDeal((await stranger.deal()).id);
    const path = `/deal_assignees/${theirs.deal_assignees[0]?.id}`;
    expect(await w.rest.delete(path)).toAnswer(404, notFound);
    expect(await stranger.rest.delete(path)).toAnswer(204, undefined);
  });
});
