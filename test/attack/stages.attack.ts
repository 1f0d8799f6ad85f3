/** Many clients move the same deals at once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
});
afterAll(() => service.close());

/** Has all clients at once send their requests, each client one after the other. */
async function clients(
  count: number,
  requests: number,
  request: (client: number, n: number) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const client = async (_: unknown, at: number) => {
    for (let n = 0; n < requests; n++) answers.push(await request(at, n));
  };
  await Promise.all(Array.from({ length: count }, client));
  return answers;
}

function statuses(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, asked } of answers) {
    const name = `${asked.method} ${status}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const stage = (n: number) => [...w.stageIds, w.other.stageId][n % 4];

test('one deal moved 1,500 times by 20 clients is found each time', async () => {
  const { id } = await w.deal();
  const answers = await clients(20, 75, (client, n) =>
    w.rest.put(`/deals/${id}`, { stage_id: stage(client + n), position: 1 }),
  );
  expect(statuses(answers)).toEqual({ 'PUT 200': 1500 });
});

test('four deals moved 1,500 times by six clients are found each time', async () => {
  const deals = await Promise.all(Array.from({ length: 4 }, () => w.deal()));
  const answers = await clients(6, 250, (client, n) =>
    w.rest.put(`/deals/${deals[(client + n) % 4]?.id}`, { stage_id: stage(client * n + n) }),
  );
  expect(statuses(answers)).toEqual({ 'PUT 200': 1500 });
});

test('of the deletions of a deal amid moves one is told, and the deal is not found after it', async () => {
  const deals = await Promise.all(Array.from({ length: 30 }, () => w.deal()));
  for (const { id } of deals) {
    let gone = false;
    const late: Answer[] = [];
    const answers = await clients(10, 4, async (client, n) => {
      const wasGone = gone;
      const answer = await (client < 3 && n === 2
        ? w.rest.delete(`/deals/${id}`)
        : w.rest.put(`/deals/${id}`, { stage_id: stage(client + n) }));
      if (wasGone) late.push(answer);
      gone ||= answer.status === 204 || answer.status === 404;
      return answer;
    });
    expect(late.filter(({ status }) => status !== 404)).toEqual([]);
    const { 'DELETE 204': once, 'DELETE 404': again, ...moves } = statuses(answers);
    expect([once, again]).toEqual([1, 2]);
    expect(Object.keys(moves).filter((name) => !['PUT 200', 'PUT 404'].includes(name))).toEqual([]);
  }
});
