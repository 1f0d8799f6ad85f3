import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { AccessWatch } from '../../src/auth/access_watch.ts';
import { everything } from '../../src/auth/scopes.ts';
import { LoadShedder } from '../../src/http/limits/load_shedder.ts';
import { LongRequests } from '../../src/http/limits/long_requests.ts';

const bound = new LoadShedder(1, { warn: () => undefined });
const standing = new AccessWatch({ query: async () => [] });

/** A request of an account, on a connection of its own. */
function request(accountId: number) {
  const viewer = {
    accountId,
    userId: 1,
    tokenId: 1,
    sessionId: null,
    role: 'admin',
    scopes: everything,
    defaultCountry: null,
  } as const;
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  return { viewer, isPlaced: false, raw: { socket } };
}

const ofAccount = 'Too many answers to this account are being held back';
const ofAll = 'Too many answers are being held back';

test('an account holds back so many answers, all accounts so many, and those that ended make room', () => {
  const held = new LongRequests(bound, standing, { ofAccount: 2, ofAll: 5 });
  const first = held.park(request(1));
  held.park(request(1));
  expect(() => held.park(request(1))).toThrow(ofAccount);
  for (const account of [2, 3, 4]) held.park(request(account));
  expect(() => held.park(request(5))).toThrow(ofAll);
  first.end();
  first.end();
  held.park(request(5));
  expect(() => held.park(request(6))).toThrow(ofAll);
  held.close();
  standing.close();
});

test('accounts that hold back all they may leave some for another', () => {
  const held = new LongRequests(bound, standing, { ofAccount: 1000, ofAll: 2000 });
  const fill = (account: number) => {
    for (let count = 0; ; count += 1) {
      try {
        held.park(request(account));
      } catch (error) {
        expect(error).toMatchObject({ code: 'TOO_MANY_REQUESTS', messages: [ofAccount] });
        return count;
      }
    }
  };
  expect([1, 2, 3, 4].map(fill)).toEqual([1000, 500, 250, 125]);
  held.park(request(5));
  held.close();
  standing.close();
});

test('it is over when its client has gone, its time has come or the process shuts down, and then at once', async () => {
  const held = new LongRequests(bound, standing, { ofAccount: 3, ofAll: 6 });
  const [gone, timed, open] = [request(1), request(1), request(1)];
  const [one, other, last] = [held.park(gone), held.park(timed, 1), held.park(open)];
  gone.raw.socket.emit('close');
  expect([one, other, last].map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
  await new Promise((resolve) => other.signal.addEventListener('abort', resolve));
  expect(last.signal.aborted).toBe(false);
  held.close();
  expect([last, held.park(request(1))].map(({ signal }) => signal.aborted)).toEqual([true, true]);
  for (const { signal } of [one, other, last]) expect(signal.reason).toBe('over');
  expect(open.raw.socket.listenerCount('close')).toBe(0);
  standing.close();
});
