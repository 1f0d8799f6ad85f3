import type { LinkFragment } from '../../../generated/console.ts';
import { Copy } from '../../components/copy.tsx';
import { formatMoment } from '../../words/format.ts';
import { words } from '../../words/words.ts';

/** A link with which somebody sets their password, to be handed over. */
export function LinkNotice({ link: { url, expires_at } }: { readonly link: LinkFragment }) {
  const { users: texts } = words.value;
  return (
    <div class="form">
      <p>{texts.handOver(formatMoment(expires_at))}</p>
      <Copy label={texts.link} text={url} />
    </div>
  );
}
