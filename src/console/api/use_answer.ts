import type { TypedDocumentString } from '../../generated/console.ts';
import { ask, type Given } from './ask.ts';
import { type Loading, useLoad } from './use_load.ts';

/** Asks a query, and again when its variables change; see {@link useLoad}. */
export const useAnswer = <Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  given: Given<Variables>,
): Loading<Data> =>
  useLoad(() => ask(document, given), JSON.stringify([document.toString(), given]));
