/** Who may send next: queues of webhooks, seen as the dispatcher sees them. */
import { expect, test } from '@jest/globals';
import { type State, stateAfter } from '../../src/delivery/queue.ts';
import { type Turn, WebhookQueues } from '../../src/delivery/queues.ts';

interface Item {
  readonly url: string;
}

/** Queues that a database without end feeds, each with a receiver of its own unless they share one. */
class Scene {
  readonly queues = new WebhookQueues<Item>();
  /** What is being sent, by webhook. */
  readonly sending: Turn<Item>[] = [];

  due(accountId: number, ...webhooks: readonly number[]): void {
    for (const id of webhooks) this.queues.due(accountId, id);
  }

  /** Takes on and begins all that may begin. */
  go(url = (webhookId: number) => `https://example.com/${webhookId}`): void {
    for (const [queue, wanted] of this.queues.wanting()) {
      queue.begin();
      queue.add(Array<Item>(wanted).fill({ url: url(queue.webhookId) }), wanted, performance.now());
    }
    this.sending.push(...this.queues.next());
  }

  /** Ends what is being sent to a webhook. */
  end(webhookId: number, state: State): void {
    for (const turn of this.sending.filter(({ queue }) => queue.webhookId === webhookId)) {
      this.sending.splice(this.sending.indexOf(turn), 1);
      turn.done(state);
      if (state === 'failing') turn.queue.leave();
    }
  }

  count(within: (webhookId: number) => boolean = () => true): number {
    return this.sending.filter(({ queue }) => within(queue.webhookId)).length;
  }
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

test('a receiver is sent one at a time until it has answered well, and then two', () => {
  const scene = new Scene();
  scene.due(1, 1);
  scene.go();
  expect(scene.count()).toBe(1);
  scene.end(1, 'well');
  scene.go();
  scene.end(1, 'well');
  scene.go();
  expect(scene.count()).toBe(2);
  scene.go();
  expect(scene.count()).toBe(2);
  scene.end(1, 'failing');
  scene.go();
  expect(scene.count()).toBe(1);
});

test('two webhooks of one receiver share its places', () => {
  const scene = new Scene();
  scene.due(1, 1, 2, 3);
  scene.go(() => 'https://example.com/');
  expect(scene.count()).toBe(2);
});

test('an account has eight places, four of them for receivers that failed last', () => {
  const scene = new Scene();
  scene.due(1, ...range(1, 12));
  scene.go();
  expect(scene.count()).toBe(8);
  for (const id of range(1, 12)) {
    scene.end(id, 'failing');
    scene.go();
  }
  for (const id of range(1, 12)) scene.end(id, 'failing');
  scene.go();
  expect(scene.count()).toBe(4);
});

test('a receiver that was slow is sent two at a time', () => {
  const scene = new Scene();
  scene.due(1, 1);
  for (const _ of range(0, 3)) {
    scene.go();
    scene.end(1, 'slow');
  }
  scene.go();
  scene.go();
  expect(scene.count()).toBe(2);
});

test('four of the eight are for receivers that were slow, also when they come again', () => {
  const scene = new Scene();
  const slow = range(1, 6);
  scene.due(1, ...slow);
  scene.go();
  for (const id of slow) scene.end(id, 'slow');
  scene.go();
  expect(scene.count()).toBe(4);
  for (const { queue } of [...scene.sending]) scene.end(queue.webhookId, 'slow');
  const left = [...scene.queues.leave()];
  expect(left.length).toBeGreaterThan(0);
  scene.due(1, ...slow, 7);
  scene.go();
  expect([scene.count(), scene.count((id) => id === 7)]).toEqual([5, 1]);
});

test.each([
  [null, 999, 'well'],
  [null, 1000, 'slow'],
  ['answered 500', 5, 'failing'],
] as const)('a receiver whose error is %s after %i ms is %s', (error, ms, state) => {
  expect(stateAfter(error, ms)).toBe(state);
});

test('a process has fifty, and receivers that hang leave half of them to others', () => {
  const scene = new Scene();
  const hanging = range(1, 200);
  for (const id of hanging) scene.due(id, id);
  scene.go();
  expect(scene.count()).toBe(50);
  // Until each of them has had its ten seconds.
  for (const _ of range(0, 4)) {
    for (const { queue } of [...scene.sending]) scene.end(queue.webhookId, 'failing');
    scene.go();
  }
  expect(scene.count()).toBe(25);
  scene.due(1000, 1000);
  scene.go();
  expect(scene.count((id) => id === 1000)).toBe(1);
  scene.end(1000, 'well');
  for (const _ of range(0, 10)) {
    scene.go();
    scene.end(1000, 'well');
  }
  scene.go();
  expect(scene.count((id) => id === 1000)).toBe(2);
});

test('what is held is bounded, and queues that cannot send hold nothing', () => {
  const scene = new Scene();
  const wanted = () => [...scene.queues.wanting()].reduce((sum, [, count]) => sum + count, 0);
  for (const id of range(1, 200)) scene.due(id, id);
  expect(wanted()).toBe(50);
  for (const id of range(1, 40)) {
    scene.go();
    scene.end(id, 'well');
  }
  // All of them answer at once, so each could take fifty.
  for (const _ of range(0, 8)) {
    scene.go();
    for (const id of range(1, 40)) scene.end(id, 'well');
  }
  const held = [...scene.queues.leave()].reduce((sum, [, items]) => sum + items.length, 0);
  expect(held + scene.count()).toBeLessThanOrEqual(250);
});

test('every queue has its turn before any has another', () => {
  const scene = new Scene();
  const turns: number[] = [];
  for (const id of range(1, 60)) scene.due(id, id);
  while (turns.length < 120) {
    scene.go();
    const [turn] = scene.sending;
    if (!turn) throw new Error('nothing is sent');
    turns.push(turn.queue.webhookId);
    scene.end(turn.queue.webhookId, 'unknown');
  }
  expect(new Set(turns.slice(0, 60)).size).toBe(60);
});
