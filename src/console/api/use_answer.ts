import { useEffect, useState } from 'preact/hooks';
import type { TypedDocumentString } from '../../generated/console.ts';
import { isBack } from '../components/scroll_places.ts';
import { answerTo, keepAnswer } from './answers.ts';
import { ask, type VariablesOf } from './ask.ts';
import { parseJson } from './json.ts';
import { type Loading, useLoad } from './use_load.ts';

/**
 * Asks a query, and again when its variables change; see {@link useLoad}. On a page that somebody came back to, the
 * answer of before is there until the next one comes.
 */
export function useAnswer<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  given: VariablesOf<Variables>,
): Loading<Data> {
  const key = JSON.stringify([document.toString(), given]);
  const [before] = useState((): Data | undefined => {
    const known = isBack() ? answerTo(key) : undefined;
    return known === undefined ? undefined : parseJson(known);
  });
  const answer = useLoad(() => ask(document, given), key, before);
  const { data } = answer;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer belongs to the key that it came for
  useEffect(() => {
    if (data !== undefined && !answer.isLoading) keepAnswer(key, data);
  }, [data]);
  return answer;
}
