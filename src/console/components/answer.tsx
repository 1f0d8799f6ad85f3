import type { ComponentChildren } from 'preact';
import type { Loading } from '../api/use_load.ts';
import { words } from '../words/words.ts';
import { RefusalNotice } from './refusal_notice.tsx';

/** Shows what was loaded; until then that it is on its way, or why it is not. */
export const Answer = <Data,>({
  of: { data, refusal, reload },
  children,
}: {
  readonly of: Loading<Data>;
  readonly children: (data: Data) => ComponentChildren;
}) => (
  <>
    {refusal && <RefusalNotice refusal={refusal} again={reload} />}
    {data !== undefined && children(data)}
    {data === undefined && !refusal && <p class="loading">{words.value.shell.loading}</p>}
  </>
);
