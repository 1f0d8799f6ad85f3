import { Copy } from '../../components/copy.tsx';
import { words } from '../../words/words.ts';

/** A secret that was just made: the only time that anybody sees it. */
export function SecretShown({ secret }: { readonly secret: string }) {
  const { webhooks: texts } = words.value;
  return (
    <>
      <p class="notice warn">{texts.once}</p>
      <Copy label={texts.secret} text={secret} />
      <p class="soft">{texts.secretUse}</p>
    </>
  );
}
