/** The person at work, and the account whose data they see. */
import { computed, signal } from '@preact/signals';
import { WhoDocument, type WhoQuery } from '../../generated/console.ts';
import { ask } from './ask.ts';

export const who = signal<WhoQuery | undefined>(undefined);

export const isAdmin = computed(() => who.value?.me.role === 'admin');

/** Reads them anew, as after somebody changed their own name. */
export async function readWho(): Promise<void> {
  who.value = await ask(WhoDocument, {});
}
