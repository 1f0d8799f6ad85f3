import type { Refusal } from '../api/refusal.ts';
import { explain } from '../words/refusals.ts';
import { words } from '../words/words.ts';
import { Button } from './button.tsx';

/** Why something is not here, and the way to try again. */
export const RefusalNotice = ({
  refusal,
  again,
}: {
  readonly refusal: Refusal;
  readonly again: () => void;
}) => (
  <div class="notice bad" role="alert">
    <p>{explain(refusal).join(' ')}</p>
    <Button onClick={again}>{words.value.shell.again}</Button>
  </div>
);
