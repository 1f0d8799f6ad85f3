/** What no client should send, and how the service must bear it. */
import { expect } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import type { SharedService } from '../kit/service.ts';
import type { World } from '../kit/world.ts';

/** Fails unless it was refused as the client's fault, in the one shape. */
export function expectRefused(answer: Answer): void {
  expect([
    answer.status >= 400 && answer.status < 500,
    answer.status,
    answer.text.slice(0, 300),
  ]).toEqual([true, answer.status, answer.text.slice(0, 300)]);
  expect(answer.body).toMatchObject({ error: expect.any(String), errors: expect.any(Array) });
}

export function expectNoServerFault(answer: Answer): void {
  expect([
    answer.asked.method,
    answer.asked.path,
    answer.asked.body.slice(0, 200),
    answer.status < 500,
  ]).toEqual([answer.asked.method, answer.asked.path, answer.asked.body.slice(0, 200), true]);
}

/** Fails unless the service still works, and logged no fault of its own. */
export async function expectUnharmed(service: SharedService, w: World): Promise<void> {
  const contact = await w.contact({ full_name: 'Still here' });
  expect((await w.fetchContact(contact.id)).full_name).toBe('Still here');
  expect(service.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
}
