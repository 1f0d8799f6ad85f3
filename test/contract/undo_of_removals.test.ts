/** Removals that are taken back while others have taken, or still need, something of what was removed. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Rest } from '../kit/rest.ts';
import { sharedService } from '../kit/service.ts';
import { type Input, unique, type World, world } from '../kit/world.ts';
import { followed, revert } from '../undo/revert.ts';

const service = await sharedService();
let w: World;
/** Somebody who works beside the one whose changes are taken back. */
let other: Rest;
beforeEach(async () => {
  w = await world(service);
  other = w.restAs(w.member.token);
});

const reverted = () => followed(w, () => revert(w, { user_id: w.admin.id }));

const created = async (path: string, body: Input) =>
  (await other.post<{ id: number }>(path, body)).body.id;

test('a deal keeps the contact that it has while another has the e-mail of its former one', async () => {
  const email = unique('taken');
  const former = await created('/contacts', { email });
  const present = await w.contact();
  const [stage_id] = w.stageIds;
  const deal = await created('/deals', { contact_id: former, stage_id });
  const note = await created(`/deals/${deal}/events`, { kind: 'note', content: 'Called' });
  await w.rest.put(`/deals/${deal}`, { contact_id: present.id });
  await w.rest.delete(`/contacts/${former}`);
  await created('/contacts', { email });
  const { reverted: count, conflicts } = await reverted();
  expect(count).toBe(0);
  expect(conflicts).toEqual([
    { record_type: 'contact', record_id: former, fields: ['email'], reason: 'taken' },
    { record_type: 'deal', record_id: deal, fields: ['contact_id'], reason: 'missing' },
    { record_type: 'contact', record_id: present.id, fields: [], reason: 'held' },
  ]);
  expect(await w.fetchDeal(deal)).toMatchObject({ contact_id: present.id });
  const { body } = await other.get(`/events/${note}`);
  expect(body).toMatchObject({ contact_id: present.id, deal_id: deal });
});

test('what another contact keeps for that is not given to a third', async () => {
  const [email, next] = [unique('taken'), unique('next')];
  const former = await created('/contacts', { email });
  const third = await created('/contacts', { email: next });
  await w.rest.put(`/contacts/${third}`, { email: '' });
  await w.rest.delete(`/contacts/${third}`);
  const present = await w.contact({ email: next });
  const deal = await created('/deals', { contact_id: former, stage_id: w.stageIds[0] });
  await w.rest.put(`/deals/${deal}`, { contact_id: present.id });
  await w.rest.delete(`/contacts/${former}`);
  await created('/contacts', { email });
  const { conflicts } = await reverted();
  expect(conflicts).toEqual([
    { record_type: 'contact', record_id: third, fields: ['email'], reason: 'taken' },
    { record_type: 'contact', record_id: former, fields: ['email'], reason: 'taken' },
    { record_type: 'deal', record_id: deal, fields: ['contact_id'], reason: 'missing' },
    { record_type: 'contact', record_id: present.id, fields: [], reason: 'held' },
  ]);
  expect(await w.fetchContact(present.id)).toMatchObject({ email: next });
});

test('a deal that was moved within its stage, to another one and removed is back where it stood', async () => {
  const [first, second] = w.stageIds;
  const contact_id = await created('/contacts', {});
  const ids: number[] = [];
  for (const name of ['a', 'b', 'c'])
    ids.push(await created('/deals', { contact_id, stage_id: first, name }));
  const [, , deal = 0] = ids;
  await w.rest.put(`/deals/${deal}`, { position: 1 });
  await w.rest.put(`/deals/${deal}`, { stage_id: second });
  await w.rest.delete(`/deals/${deal}`);
  expect((await reverted()).conflicts).toEqual([]);
  const { body } = await other.post<{ data: { id: number }[] }>('/deals/search', {
    query: { stage_id_eq: first, s: 'position' },
  });
  expect(body.data.map(({ id }) => id)).toEqual(ids);
});

test('a deal that was moved to a stage and removed is back where it stood before, if that stage is gone', async () => {
  const [first] = w.stageIds;
  const contact_id = await created('/contacts', {});
  const ids: number[] = [];
  for (const name of ['a', 'b', 'c'])
    ids.push(await created('/deals', { contact_id, stage_id: first, name }));
  const [, deal = 0] = ids;
  const stage = { pipeline_id: w.pipelineId, name: 'Soon gone' };
  const stage_id = (await w.rest.post<{ id: number }>('/stages', stage)).body.id;
  await w.rest.put(`/deals/${deal}`, { stage_id });
  await w.rest.delete(`/deals/${deal}`);
  await w.rest.delete(`/stages/${stage_id}`);
  expect((await reverted()).conflicts).toEqual([]);
  expect((await w.board(first)).ids).toEqual(ids);
  await followed(w, () => w.rest.delete(`/deals/${deal}`));
});

test('of two assignments of one person to one deal that were removed in turn, the later one is back', async () => {
  const contact_id = await created('/contacts', {});
  const deal_id = await created('/deals', { contact_id, stage_id: w.stageIds[0] });
  const assignment = { deal_id, user_id: w.admin.id };
  const former = await created('/deal_assignees', assignment);
  await w.rest.delete(`/deal_assignees/${former}`);
  const later = await created('/deal_assignees', assignment);
  await w.rest.delete(`/deal_assignees/${later}`);
  const { conflicts } = await reverted();
  expect(conflicts).toEqual([
    { record_type: 'deal_assignee', record_id: former, fields: ['user_id'], reason: 'taken' },
  ]);
  expect((await w.fetchDeal(deal_id)).deal_assignees.map(({ id }) => id)).toContain(later);
});
