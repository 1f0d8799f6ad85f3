/** Taking changes back, as an admin does. */
import { expect } from '@jest/globals';
import { apply, contentsOf, readEntries, readReplica } from '../kit/replica.ts';
import type { Input, World } from '../kit/world.ts';

export interface Conflict {
  readonly record_type: string;
  readonly record_id: number;
  readonly fields: readonly string[];
  readonly reason: string;
}

export interface Reversal {
  readonly reverted: number;
  readonly changes: readonly Input[];
  readonly conflicts_count: number;
  readonly conflicts: readonly Conflict[];
  readonly request_id: string;
}

export const mutation = `mutation ($account: Integer!, $input: ReversalInput!) {
  revert_changes(account_id: $account, input: $input) {
    reverted
    changes { record_type record_id action before after }
    conflicts_count
    conflicts { record_type record_id fields reason }
    request_id
  }
}`;

export async function revert(w: World, input: Input): Promise<Reversal> {
  const variables = { account: w.accountId, input };
  return (await w.graphql.data<{ revert_changes: Reversal }>(mutation, variables)).revert_changes;
}

/** Runs work, and sees that a copy which follows the trail is what the tables are then. */
export async function followed<T>(w: World, work: () => Promise<T>): Promise<T> {
  const { database } = w.service;
  const copy = await readReplica(database, w.accountId);
  const known = (await readEntries(database, w.accountId)).length;
  const result = await work();
  for (const entry of (await readEntries(database, w.accountId)).slice(known)) apply(copy, entry);
  expect(contentsOf(copy)).toEqual(contentsOf(await readReplica(database, w.accountId)));
  return result;
}
